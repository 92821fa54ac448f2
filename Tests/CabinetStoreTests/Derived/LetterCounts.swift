import CabinetBackend

@testable import Cabinet

/// A kind of derived tables that a test adds: how many tunes begin with each letter.
final class LetterCounts: DerivedTable {
    /// What the present commit changes, by letter.
    private var changes: [UInt8: Int64] = [:]
    private let counts = DataBuffer()
    private let source: TextSource
    unowned let store: Store

    init(of storedClass: StoredClass, in store: Store) throws {
        self.store = store
        source = TextSource(.text(\CountedTune.title), store.fields(of: storedClass))
        try super.init(
            kind: LetterKeeper.kind, name: "letters", of: storedClass, definition: "first byte",
            collations: "")
    }

    override class var tablePrefix: String { "Letters" }

    /// The letter of the title; `nil` for none.
    func letter(of cursor: RowCursor) throws -> UInt8? {
        try source.withText(of: cursor) { $0?.first }
    }

    override func enter(
        _ row: RowID, from former: RowCursor?, to new: RowCursor?, in commit: Commit
    ) throws {
        guard takesPart else { return }
        if let letter = try former.flatMap(letter) { changes[letter, default: 0] -= 1 }
        if let letter = try new.flatMap(letter) { changes[letter, default: 0] += 1 }
    }

    override var addsUp: Bool { true }

    override func join(_ commit: Commit) throws {
        guard let table else { throw leftOut }
        for (letter, change) in changes where change != 0 {
            let count = try isNew ? 0 : count(of: letter, in: table, store.reader)
            try Self.put(count + change, of: letter, in: table, to: commit.batch)
        }
    }

    override func didEnd(committed: Bool) { changes = [:] }

    func count(
        of letter: UInt8, in table: TableNumber, _ reader: any BackendReader
    ) throws -> Int64 {
        let isThere = try [letter].withUnsafeBytes {
            try reader.value(forKey: $0, in: table, into: counts)
        }
        return try isThere ? counts.readInt64() : 0
    }

    static func put(
        _ count: Int64, of letter: UInt8, in table: TableNumber, to batch: WriteBatch
    ) throws {
        let buffer = DataBuffer()
        buffer.writeInt64(count)
        try [letter].withUnsafeBytes { key in
            if count == 0 { return try batch.deleteKey(key, in: table) }
            try buffer.withUnsafeBytes { try batch.put($0, for: key, in: table) }
        }
    }

    /// The counts by the records, as of `reader`.
    func counted(_ reader: any BackendReader) throws -> [UInt8: Int64] {
        var counts: [UInt8: Int64] = [:]
        let cursor = RowCursor(store, store.fields(of: storedClass), ofRecords: true)
        let (walk, run) = (try reader.records(in: storedClass.table), RecordRun())
        while try walk.next(run) {
            while let (row, record) = run.next() {
                guard try cursor.take(record, at: row), let letter = try letter(of: cursor)
                else { continue }
                counts[letter, default: 0] += 1
            }
        }
        return counts
    }
}

final class LetterKeeper: TypedKeeper<LetterCounts> {
    override class var kind: UInt8 { 200 }

    override class func isDeclared(by storedClass: StoredClass) -> Bool {
        storedClass.type == CountedTune.self
    }

    override func declare(_ tables: ClassTables, _ entries: DerivedEntries) throws {
        try derived.add(LetterCounts(of: tables.storedClass, in: store), to: tables)
    }
}
