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
    ) -> Subscription { subscribers.add(body) }

    public func values(
        of rows: ArraySlice<RowID>, in table: TableNumber, into run: RecordRun
    ) throws(BackendError) -> Int {
        let buffer = DataBuffer()
        return try reading(table) { () throws(BackendError) in
            run.removeAll()
            let found = self.table(table)
            var ahead = RowsAhead(rows, in: found)
            var looked = 0
            for place in rows.indices {
                ahead?.advance(to: place)
                let row = rows[place]
                switch try self.find(row, in: found, into: buffer) {
                case .damage(let path, let offset): return .damage(path, offset)
                case .done(false): break
                case .done(true): buffer.withUnsafeBytes { run.append(row, $0) }
                }
                looked += 1
                if run.isFull { break }
            }
            return .done(looked)
        }
    }
}
