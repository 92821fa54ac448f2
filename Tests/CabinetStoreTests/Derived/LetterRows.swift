import CabinetBackend

@testable import Cabinet

/// A second kind that a test adds, each of whose entries is of one record: the tunes that begin with a letter.
final class LetterRows: DerivedTable {
    private let source: TextSource

    init(of storedClass: StoredClass, in store: Store) throws {
        source = TextSource(.text(\CountedTune.title), store.fields(of: storedClass))
        try super.init(
            kind: LetterRowKeeper.kind, name: "rows", of: storedClass, definition: "first byte",
            collations: "")
    }

    override class var tablePrefix: String { "LetterRows" }

    fileprivate func key(_ row: RowID, _ cursor: RowCursor?) throws -> [UInt8]? {
        guard let letter = try cursor.flatMap({ try source.withText(of: $0) { $0?.first } })
        else { return nil }
        return [letter] + withUnsafeBytes(of: row.rawValue.bigEndian) { Array($0) }
    }

    override func enter(
        _ row: RowID, from former: RowCursor?, to new: RowCursor?, in commit: Commit
    ) throws {
        guard takesPart, let table else { return }
        if let key = try key(row, former) { try commit.batch.deleteKey(key, in: table) }
        if let key = try key(row, new) { try commit.batch.put([], for: key, in: table) }
    }

    override func makeCheck(
        of number: TableNumber, in store: Store, _ reader: any BackendReader
    ) throws -> TableCheck? { try LetterRowCheck(self, number, in: store, reader) }

    /// What `reader` has, and what it ought to have by the records.
    func entries(_ reader: any BackendReader, in store: Store) throws -> ([[UInt8]], [[UInt8]]) {
        var (found, expected): ([[UInt8]], [[UInt8]]) = ([], [])
        guard let table else { return ([], []) }
        let (entries, run) = (
            try reader.entries(in: table, range: .everything, descending: false), EntryRun()
        )
        while try entries.next(run) {
            while let (key, _) = run.next() { found.append([UInt8](key)) }
        }
        let cursor = RowCursor(store, store.fields(of: storedClass), ofRecords: true)
        let (records, recordRun) = (try reader.records(in: storedClass.table), RecordRun())
        while try records.next(recordRun) {
            while let (row, record) = recordRun.next() {
                guard try cursor.take(record, at: row) else { continue }
                if let key = try key(row, cursor) { expected.append(key) }
            }
        }
        return (found, expected.sorted { $0.lexicographicallyPrecedes($1) })
    }
}

/// What the kind says of its entries to be compared with the records.
private final class LetterRowCheck: TableCheck {
    override func takeRecord(_ cursor: RowCursor) throws {
        let key = try (table as? LetterRows)?.key(cursor.row, cursor)
        if let key { note(Self.hash(of: key), cursor.row, isOfRecord: true) }
    }

    override func takeEntry(
        _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, of range: Int
    ) {
        let row = key.loadUnaligned(fromByteOffset: 1, as: UInt32.self).bigEndian
        note(Self.hash(of: Array(key)), RowID(row), isOfRecord: false)
    }

    override var findings: [CheckFinding] {
        missing.map { finding(.missingIndexEntry, $0) }
            + stray.sorted().map { finding(.strayIndexEntry, $0) }
    }

    private static func hash(of key: [UInt8]) -> UInt64 {
        UInt64(truncatingIfNeeded: key.hashValue)
    }
}

final class LetterRowKeeper: TypedKeeper<LetterRows> {
    override class var kind: UInt8 { 201 }

    override class func isDeclared(by storedClass: StoredClass) -> Bool {
        storedClass.type == CountedTune.self
    }

    override func declare(_ tables: ClassTables, _ entries: DerivedEntries) throws {
        try derived.add(LetterRows(of: tables.storedClass, in: store), to: tables)
    }
}
