import CabinetBackend

/// An engine with nothing but what the contract asks of all: no frozen readers, no bases, no feed, and
/// counts and ranks by walks. `Sendable`, as the engine that it passes everything on to is.
package final class PlainBackend: Backend {
    private let inner: any Backend

    package init(_ inner: any Backend) { self.inner = inner }

    package var access: Access { inner.access }
    package var location: String { inner.location }
    package var identity: UInt64 { inner.identity }

    package func lastCommit() throws(BackendError) -> CommitNumber { try inner.lastCommit() }
    package func tables() throws(BackendError) -> [TableDefinition] { try inner.tables() }
    package func reserveTable() throws(BackendError) -> TableNumber { try inner.reserveTable() }

    package func claim(_ wanted: TableClaim) throws(BackendError) -> TableDefinition {
        try inner.claim(wanted)
    }

    package func reserveRows(
        _ count: UInt32, in table: TableNumber
    ) throws(BackendError) -> ClosedRange<RowID> { try inner.reserveRows(count, in: table) }

    package func count(of table: TableNumber) throws(BackendError) -> Int {
        try inner.count(of: table)
    }

    package func value(
        of row: RowID, in table: TableNumber, into buffer: DataBuffer
    ) throws(BackendError) -> Bool { try inner.value(of: row, in: table, into: buffer) }

    package func value(
        forKey key: UnsafeRawBufferPointer, in table: TableNumber, into buffer: DataBuffer
    ) throws(BackendError) -> Bool { try inner.value(forKey: key, in: table, into: buffer) }

    package func records(in table: TableNumber) throws(BackendError) -> any RecordCursor {
        try inner.records(in: table)
    }

    package func entries(
        in table: TableNumber, range: KeyRange, descending: Bool
    ) throws(BackendError) -> any EntryCursor {
        try inner.entries(in: table, range: range, descending: descending)
    }

    package func makeBatch() -> WriteBatch { inner.makeBatch() }

    package func commit(_ batch: WriteBatch) throws(BackendError) -> CommitNumber {
        try inner.commit(batch)
    }

    package func onCommit(
        _ body: @escaping @Sendable (CommitNumber) -> Void
    ) -> Subscription { inner.onCommit(body) }

    package func discard(_ batch: WriteBatch) { inner.discard(batch) }
    package func sync() throws(BackendError) { try inner.sync() }
    package func close() throws(BackendError) { try inner.close() }
}
