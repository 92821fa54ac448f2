import CabinetBackend

/// Bytes and text in the place of raw memory, for tests.
extension Backend {
    /// Commits what `body` writes. If `body` throws, the batch is given up.
    @discardableResult
    package func commit(_ body: (WriteBatch) throws -> Void) throws -> CommitNumber {
        let batch = makeBatch()
        do { try body(batch) } catch {
            discard(batch)
            throw error
        }
        return try commit(batch)
    }

    /// Claims and defines a table, in a commit of its own.
    @discardableResult
    package func makeTable(
        _ kind: TableKind, _ name: String, flags: TableFlags = []
    ) throws -> TableNumber {
        let definition = try claim(TableClaim(kind: kind, name: name, flags: flags))
        try commit { try $0.define(definition) }
        return definition.number
    }
}

extension BackendReader {
    /// The value of `row`, or `nil` if there is none.
    package func value(of row: RowID, in table: TableNumber) throws -> [UInt8]? {
        let buffer = DataBuffer()
        guard try value(of: row, in: table, into: buffer) else { return nil }
        return buffer.withUnsafeBytes { Array($0) }
    }

    /// The value under `key`, or `nil` if there is none.
    package func value(forKey key: [UInt8], in table: TableNumber) throws -> [UInt8]? {
        let buffer = DataBuffer()
        return try value(forKey: key, in: table, into: buffer)
            ? buffer.withUnsafeBytes { Array($0) } : nil
    }

    /// Copies the value under `key` into `buffer`.
    func value(
        forKey key: [UInt8], in table: TableNumber, into buffer: DataBuffer
    ) throws -> Bool {
        try key.withUnsafeBytes { try value(forKey: $0, in: table, into: buffer) }
    }

    /// How many keys stand before `key`.
    func rank(of key: [UInt8], in table: TableNumber) throws -> Int {
        try key.withUnsafeBytes { try rank(of: $0, in: table) }
    }

    /// All rows as a walk meets them. `between` is called between two runs.
    func rows(
        in table: TableNumber, between: () throws -> Void = {}
    ) throws -> [(row: RowID, value: [UInt8])] {
        var all: [(row: RowID, value: [UInt8])] = []
        let run = RecordRun()
        let cursor = try records(in: table)
        while try cursor.next(run) {
            while let (row, value) = run.next() { all.append((row, Array(value))) }
            if all.count > endlessWalk { throw Unexpected("the walk has no end") }
            try between()
        }
        return all
    }

    /// All entries as a walk meets them. `between` is called between two runs.
    func keys(
        in table: TableNumber, range: KeyRange = .everything, descending: Bool = false,
        between: () throws -> Void = {}
    ) throws -> [(key: [UInt8], value: [UInt8])] {
        var all: [(key: [UInt8], value: [UInt8])] = []
        let run = EntryRun()
        let cursor = try entries(in: table, range: range, descending: descending)
        while try cursor.next(run) {
            while let (key, value) = run.next() { all.append((Array(key), Array(value))) }
            if all.count > endlessWalk { throw Unexpected("the walk has no end") }
            try between()
        }
        return all
    }
}

/// More rows or keys than any rule puts into a table: a walk that meets so many goes in circles.
private let endlessWalk = 100_000

extension WriteBatch {
    package func put(_ value: [UInt8], at row: RowID, in table: TableNumber) throws(BackendError) {
        value.withUnsafeBytes { beginRecord(row, in: table).writeRawBytes($0) }
        try endRecord()
    }

    func put(_ value: [UInt8], for key: [UInt8], in table: TableNumber) throws {
        try value.withUnsafeBytes { value in
            try key.withUnsafeBytes { key in try put(value, for: key, in: table) }
        }
    }

    func deleteKey(_ key: [UInt8], in table: TableNumber) throws {
        try key.withUnsafeBytes { try deleteKey($0, in: table) }
    }

    func add(_ amount: Int64, for key: [UInt8], in table: TableNumber) {
        key.withUnsafeBytes { add(amount, forKey: $0, in: table) }
    }

    func deleteBlindly(_ key: [UInt8], in table: TableNumber) {
        key.withUnsafeBytes { deleteBlindly($0, in: table) }
    }

    func require(_ requirement: Requirement, for key: [UInt8], in table: TableNumber) {
        key.withUnsafeBytes { require(requirement, key: $0, in: table) }
    }

    func note(_ tag: UInt8, _ bytes: [UInt8]) throws {
        try bytes.withUnsafeBytes { try note(tag, $0) }
    }
}

/// The bytes of a number that batches add to.
func bytes(of number: Int64) -> [UInt8] { withUnsafeBytes(of: number.littleEndian) { Array($0) } }
