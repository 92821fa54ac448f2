import CabinetBackend

extension TokyoBackend {
    /// The last commit that reads see: the log's last one, as long as nothing is being committed.
    public func lastCommit() throws(BackendError) -> CommitNumber {
        try checkProcess()
        // While a commit is brought into the views, reads wait for it.
        if hasClosed.load(ordering: .acquiring) { throw .closed }
        return lastVisible
    }

    public func onCommit(
        _ body: @escaping @Sendable (CommitNumber) -> Void
    ) -> Subscription {
        defer { if isFollower { looks.begin(self) } }
        return subscribers.add(body)
    }

    public func values(
        of rows: ArraySlice<RowID>, in table: TableNumber, into run: RecordRun
    ) throws(BackendError) -> Int {
        try reading(table) { () throws(BackendError) in
            run.removeAll()
            guard let found = self.table(table), found.kind == .record else {
                return .done(rows.count)
            }
            var lookup = RowLookup(rows, in: found, try found.hash())
            var looked = 0
            for place in rows.indices {
                if let damage = lookup.append(place, to: run) { return damage }
                looked += 1
                if run.isFull { break }
            }
            return .done(looked)
        }
    }

    public func presentRows(
        among rows: ArraySlice<RowID>, in table: TableNumber
    ) throws(BackendError) -> [RowID] {
        try reading(table) { () throws(BackendError) in
            var present: [RowID] = []
            guard let found = self.table(table), found.kind == .record else {
                return .done(present)
            }
            var lookup = RowLookup(rows, in: found, try found.hash())
            for place in rows.indices {
                switch lookup.has(place) {
                case .done(let isThere): if isThere { present.append(rows[place]) }
                case .damage(let path, let offset): return .damage(path, offset)
                }
            }
            return .done(present)
        }
    }

    public func values(
        forKeys keys: ArraySlice<[UInt8]>, in table: TableNumber, into run: EntryRun
    ) throws(BackendError) -> Int {
        let buffer = DataBuffer()
        return try reading(table) { () throws(BackendError) in
            let found = self.table(table)
            return try run.fillReading(keys, buffer) { (key) throws(BackendError) in
                try find(key, in: found, into: buffer)
            }
        }
    }
}

extension EntryRun {
    /// As ``fill(with:_:)``, of values that `find` reads into `buffer`.
    func fillReading(
        _ keys: ArraySlice<[UInt8]>, _ buffer: DataBuffer,
        _ find: (UnsafeRawBufferPointer) throws(BackendError) -> TokyoBackend.Reading<Bool>
    ) throws(BackendError) -> TokyoBackend.Reading<Int> {
        var damage: TokyoBackend.Reading<Int>?
        let asked = try fill(with: keys) { (key) throws(BackendError) in
            guard damage == nil else { return nil }
            switch try find(key) {
            case .done(let isThere): return isThere ? buffer : nil
            case .damage(let path, let offset): damage = .damage(path, offset)
            }
            return nil
        }
        return damage ?? .done(asked)
    }
}
