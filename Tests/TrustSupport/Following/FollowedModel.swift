import CabinetBackend

/// What a store holds after each of its commits, the same for the same seed in any process: two
/// record tables that must agree, an ordered table with the keys of their rows, and tables that come
/// and go.
package struct FollowedModel: Sendable {
    package static let left: TableNumber = 2
    package static let right: TableNumber = 3
    package static let keys: TableNumber = 4
    /// In this row stands the commit.
    package static let counter: RowID = 1

    /// The commits so far.
    package private(set) var commits: UInt64 = 0
    /// The bytes of each row, which both tables have.
    package private(set) var rows: [RowID: [UInt8]] = [:]
    /// The name of the right table, and the table that was made last, while it is there.
    private var name = "Right"
    private var guest: TableNumber?
    private var nextTable: TableNumber = 5
    private let seed: UInt64
    private static let rowCount = 200

    package init(seed: UInt64) { self.seed = seed }

    /// Brings the model to a commit that comes later.
    package mutating func go(to commit: CommitNumber) throws {
        while commits < commit.rawValue { try step(nil) }
    }

    /// Makes the next commit's changes, in `batch`, too.
    package mutating func step(_ batch: WriteBatch?) throws {
        commits += 1
        var random = SeededRandom(seed: seed, part: commits)
        if commits == 1 { try defineTables(batch) }
        try changeTables(batch)
        var changed: [RowID: [UInt8]?] = [:]
        // A save of several chunks now and then.
        let isLarge = random.once(in: 40)
        for _ in 0..<(isLarge ? 30 : 1 + random.below(3)) {
            let row = RowID(UInt32(2 + random.below(Self.rowCount)))
            let size = isLarge ? 50_000 : 1 + random.below(60)
            changed[row] = random.once(in: 4) ? .some(nil) : bytes(of: row, size)
        }
        changed[Self.counter] = bytes(of: Self.counter, 8)
        for (row, value) in changed.sorted(by: { $0.key < $1.key }) {
            rows[row] = value
            if let batch { try Self.put(value, at: row, to: batch) }
        }
    }

    private func bytes(of row: RowID, _ size: Int) -> [UInt8] {
        let start = Array("\(commits) \(row) ".utf8)
        return start + Array(repeating: UInt8(truncatingIfNeeded: commits), count: size)
    }

    private static func put(_ value: [UInt8]?, at row: RowID, to batch: WriteBatch) throws {
        let key = Array("\(row)".utf8)
        for table in [left, right] {
            guard let value else {
                try batch.deleteRow(row, in: table)
                continue
            }
            let buffer = batch.beginRecord(row, in: table)
            value.withUnsafeBytes { buffer.writeRawBytes($0) }
            try batch.endRecord()
        }
        try key.withUnsafeBytes { key throws in
            guard let value else { return try batch.deleteKey(key, in: keys) }
            try value.prefix(9).withUnsafeBytes { try batch.put($0, for: key, in: keys) }
        }
    }

    // MARK: Tables

    private func defineTables(_ batch: WriteBatch?) throws {
        for definition in definitions { try batch?.define(definition) }
    }

    private mutating func changeTables(_ batch: WriteBatch?) throws {
        if commits % 37 == 0 {
            name = "Right\(commits)"
            try batch?.define(definitions[1])
        }
        guard commits % 23 == 0 else { return }
        if let guest {
            try batch?.drop(guest)
            self.guest = nil
        } else {
            guest = nextTable
            nextTable = TableNumber(nextTable.rawValue + 1)
            if let definition = definitions.last { try batch?.define(definition) }
        }
    }

    /// The tables that there are, in the order of their numbers.
    package var definitions: [TableDefinition] {
        var all = [
            TableDefinition(number: Self.left, kind: .record, name: "Left", classNumber: 1),
            TableDefinition(number: Self.right, kind: .record, name: name, classNumber: 2),
            TableDefinition(number: Self.keys, kind: .ordered, name: "Keys"),
        ]
        if let guest {
            all.append(TableDefinition(number: guest, kind: .ordered, name: "Guest\(guest)"))
        }
        return all
    }

    // MARK: Comparing

    /// How what `reader` shows differs from the model; `nil`: it does not.
    package func difference(in reader: any BackendReader) throws -> String? {
        let number = try reader.lastCommit()
        guard number.rawValue == commits else { return "commit \(number) instead of \(commits)" }
        guard commits > 0 else { return try reader.tables().isEmpty ? nil : "tables too early" }
        guard try reader.tables() == definitions else { return "other tables at \(commits)" }
        for table in [Self.left, Self.right] {
            let found = try Self.rows(of: table, in: reader)
            guard found == rows else {
                let wrong = Set(found.keys).union(rows.keys).filter { found[$0] != rows[$0] }
                let row = wrong.min() ?? 0
                let text = { (value: [UInt8]?) in
                    String(decoding: value?.prefix(10) ?? [], as: UTF8.self)
                }
                return "table \(table) at \(commits): \(wrong.count) rows are wrong, \(row) is "
                    + "\(text(found[row])), not \(text(rows[row]))"
            }
            guard try reader.count(of: table) == rows.count else { return "count of \(table)" }
        }
        var found: [String: [UInt8]] = [:]
        let cursor = try reader.entries(
            in: Self.keys, range: .everything, descending: false)
        let run = EntryRun()
        while try cursor.next(run) {
            while let (key, value) = run.next() {
                found[String(decoding: key, as: UTF8.self)] = Array(value)
            }
        }
        let expected = rows.map { ("\($0.key)", Array($0.value.prefix(9))) }
        guard found == Dictionary(uniqueKeysWithValues: expected) else {
            return "keys at \(commits): \(found.count) of \(rows.count), or other values"
        }
        guard try reader.count(of: Self.keys) == rows.count else { return "count of keys" }
        return nil
    }

    private static func rows(
        of table: TableNumber, in reader: any BackendReader
    ) throws -> [RowID: [UInt8]] {
        var found: [RowID: [UInt8]] = [:]
        let cursor = try reader.records(in: table)
        let run = RecordRun()
        while try cursor.next(run) {
            while let (row, value) = run.next() { found[row] = Array(value) }
        }
        return found
    }
}
