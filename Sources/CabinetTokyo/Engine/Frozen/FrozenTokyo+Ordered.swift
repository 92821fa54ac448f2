import CabinetBackend

// Walks, and the counts and ranks of ordered tables.
extension FrozenTokyo {
    /// What was kept of an ordered table when it was changed or dropped; `nil`: it is what it was,
    /// was not there, or is no ordered table. Under the lock.
    func layers(of table: TableNumber) -> KeptLayers? {
        let window = backend.window
        guard let kept = window.content(of: table, at: number) as? KeptLayers,
            window.isDefined(table, at: number, now: true)
        else { return nil }
        return kept
    }

    func count(
        of range: KeyRange, in table: TableNumber, upTo limit: Int
    ) throws(BackendError) -> Int {
        if range == .everything { return try count(of: table) }
        return try backend.withResolved(table, at: self) { (layers) throws(BackendError) in
            try layers.count(in: range)
        } ?? 0
    }

    func rank(
        of key: UnsafeRawBufferPointer, in table: TableNumber
    ) throws(BackendError) -> Int {
        try backend.withResolved(table, at: self) { (layers) throws(BackendError) in
            try layers.rank(of: key)
        } ?? 0
    }

    func key(at offset: Int, in table: TableNumber) throws(BackendError) -> [UInt8]? {
        try backend.withResolved(table, at: self) { (layers) throws(BackendError) in
            try layers.key(at: offset)
        } ?? nil
    }

    func records(in table: TableNumber) throws(BackendError) -> any RecordCursor {
        try locked {}
        return TokyoRecordCursor(backend, table, at: self)
    }

    func entries(
        in table: TableNumber, range: KeyRange, descending: Bool
    ) throws(BackendError) -> any EntryCursor {
        try locked { isNamed(table) }
            ? NamedCursor(backend, table, at: self)
            : OrderedCursor(backend, table, range, descending: descending, at: self)
    }
}
