import CabinetBackend

/// Catalog and tables as of a commit that is under way. `@unchecked Sendable`, as the protocol demands it: the
/// thread that commits uses it alone, and lets go of it before the transaction ends.
final class CatalogOfCommit: BackendReader, @unchecked Sendable {
    private let state: StateAsOf
    let identity: UInt64

    init(_ session: Session, commit: Int64, identity: UInt64) {
        state = StateAsOf(session, commit)
        self.identity = identity
    }

    func lastCommit() throws(BackendError) -> CommitNumber { CommitNumber(number: state.commit) }

    func tables() throws(BackendError) -> [TableDefinition] { state.tables() }

    func count(of table: TableNumber) throws(BackendError) -> Int { try state.count(of: table) }

    func value(
        of row: RowID, in table: TableNumber, into buffer: DataBuffer
    ) throws(BackendError) -> Bool { throw .unsupported("records of a commit under way") }

    func records(in table: TableNumber) throws(BackendError) -> any RecordCursor {
        throw .unsupported("records of a commit under way")
    }

    func value(
        forKey key: UnsafeRawBufferPointer, in table: TableNumber, into buffer: DataBuffer
    ) throws(BackendError) -> Bool {
        buffer.removeAll()
        return try state.value(forKey: key, in: table) { buffer.writeRawBytes($0) } != nil
    }

    func entries(
        in table: TableNumber, range: KeyRange, descending: Bool
    ) throws(BackendError) -> any EntryCursor {
        var found: [(key: [UInt8], value: [UInt8])] = []
        _ = try state.forEachEntry(in: table, range, descending: descending) { key, value in
            found.append(([UInt8](key), [UInt8](value)))
            return true
        }
        return ListedEntries(found)
    }
}

/// Entries that were read already.
private final class ListedEntries: EntryCursor {
    private let entries: [(key: [UInt8], value: [UInt8])]
    private var place = 0

    init(_ entries: [(key: [UInt8], value: [UInt8])]) { self.entries = entries }

    func next(_ run: EntryRun, limit: Int) throws(BackendError) -> Bool {
        run.removeAll()
        let end = place + min(max(limit, 1), entries.count - place)
        while place < end, !run.isFull {
            entries[place].key.withUnsafeBytes { key in
                entries[place].value.withUnsafeBytes { run.append(key, $0) }
            }
            place += 1
        }
        return !run.isEmpty
    }

    func seek(_ key: [UInt8]) throws(BackendError) {
        throw .unsupported("a search for a key in a named table")
    }
}
