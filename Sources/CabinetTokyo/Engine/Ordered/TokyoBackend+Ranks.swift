import CabinetBackend

// Counts and positions of keys, from the sums that runs and deltas keep.
extension TokyoBackend {
    public func count(
        of range: KeyRange, in table: TableNumber, upTo limit: Int
    ) throws(BackendError) -> Int {
        if range == .everything { return try count(of: table) }
        return try withResolved(table) { (layers) throws(BackendError) in
            try layers.count(in: range)
        } ?? 0
    }

    public func rank(
        of key: UnsafeRawBufferPointer, in table: TableNumber
    ) throws(BackendError) -> Int {
        try withResolved(table) { (layers) throws(BackendError) in try layers.rank(of: key) } ?? 0
    }

    public func key(at offset: Int, in table: TableNumber) throws(BackendError) -> [UInt8]? {
        try withResolved(table) { (layers) throws(BackendError) in
            try layers.key(at: offset)
        } ?? nil
    }

    /// Calls `body` with the layers of an ordered table, all of whose weights are known; `nil`:
    /// there is no such table.
    /// - Parameter reader: whose commit the table is to be of; `nil`: the last one.
    func withResolved<Result>(
        _ number: TableNumber, at reader: FrozenTokyo? = nil,
        _ body: (OrderedLayers) throws(BackendError) -> Result
    ) throws(BackendError) -> Result? {
        while true {
            let result = try reading(number) {
                () throws(BackendError) -> Reading<Resolved<Result>> in
                try reader?.check()
                if let kept = reader?.layers(of: number) { return .done(.kept(kept)) }
                let table = reader.map { $0.table(number) } ?? self.table(number)
                guard let table, table.kind == .ordered else { return .done(.nothing) }
                let view = try table.ordered()
                guard view.unknownCount == 0 else { return .done(.unresolved) }
                return try Self.catchingDamage { () throws(BackendError) in
                    .done(.value(try body(view.snapshot)))
                }
            }
            switch result {
            case .nothing: return nil
            case .value(let value): return value
            case .kept(let kept): return try body(try kept.resolved())
            case .unresolved: try resolve(number)
            }
        }
    }

    private enum Resolved<Value> {
        case nothing, unresolved
        case value(Value)
        case kept(KeptLayers)
    }

    /// Finds out what keys that were put without a look-up mean for counts, some at a time.
    func resolve(_ number: TableNumber) throws(BackendError) {
        var damage: (String, UInt64)?
        try lock.writing { () throws(BackendError) in
            try checkOpen()
            guard let table = table(number), case .ordered(let view) = table.view else { return }
            do throws(BackendError) {
                try view.resolve(limit: 4096)
            } catch {
                guard case .corrupt(let path, let offset) = error else { throw error }
                damage = (path, offset)
            }
        }
        guard let (path, offset) = damage else { return }
        log(.warning, "\(path) is damaged at byte \(offset); making it anew.")
        try rebuild(number, path: path, offset: offset)
    }

    /// Turns an error about a damaged run into the result for which ``reading(_:_:)`` rebuilds it.
    static func catchingDamage<Result>(
        _ body: () throws(BackendError) -> Reading<Result>
    ) throws(BackendError) -> Reading<Result> {
        do throws(BackendError) {
            return try body()
        } catch {
            guard case .corrupt(let path, let offset) = error else { throw error }
            return .damage(path, offset)
        }
    }
}
