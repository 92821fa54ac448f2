/// What a window remembers of one table. The engine's lock guards it.
final class VersionedTable {
    @exclusivity(unchecked) private(set) var rows: NotedRows?
    @exclusivity(unchecked) private(set) var keys: OrderedTable?
    @exclusivity(unchecked) var counts = PastValues<Int>()
    @exclusivity(unchecked) var definitions = PastValues<TableDefinition?>()
    /// All that the table held, where an engine keeps it so.
    @exclusivity(unchecked) var contents = PastValues<AnyObject>()
    /// The highest row that was ever committed, before each commit that put a higher one.
    @exclusivity(unchecked) var highestRows = PastValues<RowID>()
    /// What commits changed that were too large to note each key.
    @exclusivity(unchecked) var changedKeys: [(commit: CommitNumber, keys: any ChangedKeys)] = []

    /// The last commit that has changed a row.
    @exclusivity(unchecked) var lastRowChange: CommitNumber = 0

    /// How many rows and keys there is something of.
    var size: Int { (rows?.count ?? 0) + (keys?.count ?? 0) }

    // MARK: Noting

    /// Keeps what a row was, of which `old` is kept. Returns how many bytes of memory that takes.
    func keep(
        _ before: Version, of row: RowID, after old: UnsafeRawBufferPointer?,
        _ commit: CommitNumber, _ scratch: DataBuffer
    ) -> Int {
        let rows = makeRows()
        let size = old.map { $0.count } ?? -Self.rowOverhead
        Versions.write(to: scratch, after: old, before: before, commit: commit)
        scratch.withUnsafeBytes { rows.put($0, at: row) }
        return scratch.count - size
    }

    /// Keeps what a key was, of which `old` is kept. Returns how many bytes of memory that takes.
    func keep(
        _ before: Version, of key: UnsafeRawBufferPointer, after old: UnsafeRawBufferPointer?,
        _ commit: CommitNumber, _ scratch: DataBuffer
    ) -> Int {
        let keys = makeKeys()
        let size = old.map { $0.count } ?? -(Self.keyOverhead + key.count)
        Versions.write(to: scratch, after: old, before: before, commit: commit)
        scratch.withUnsafeBytes { keys.put($0, for: key) }
        return scratch.count - size
    }

    /// Notes that `commit` changes a row whose value no reader needs. Returns bytes of memory.
    func noteNumber(of row: RowID, _ commit: CommitNumber) -> Int {
        let rows = makeRows()
        if let old = rows.value(of: row) {
            Versions(old).setLastChange(commit)
            return 0
        }
        withUnsafeBytes(of: commit) { rows.put($0, at: row) }
        return Versions.headSize + Self.rowOverhead
    }

    /// Likewise a key.
    func noteNumber(of key: UnsafeRawBufferPointer, _ commit: CommitNumber) -> Int {
        let keys = makeKeys()
        if let old = keys.value(for: key) {
            Versions(old).setLastChange(commit)
            return 0
        }
        withUnsafeBytes(of: commit) { keys.put($0, for: key) }
        return Versions.headSize + Self.keyOverhead + key.count
    }

    /// What a row and a key take beside their bytes, about.
    private static let rowOverhead = 32
    private static let keyOverhead = 24

    private func makeRows() -> NotedRows {
        if let rows { return rows }
        let made = NotedRows()
        rows = made
        return made
    }

    private func makeKeys() -> OrderedTable {
        if let keys { return keys }
        let made = OrderedTable()
        keys = made
        return made
    }

    // MARK: Trimming

    /// Gives up what no reader of `held`, which ascend, needs. Returns the bytes that are left.
    func trim(held: [CommitNumber], _ scratch: DataBuffer) -> Int {
        let oldest = held.first ?? .max
        counts.trim(held: held)
        contents.trim(held: held)
        definitions.trim(to: oldest)
        highestRows.trim(to: oldest)
        changedKeys.removeAll { $0.commit <= oldest }
        var left = highestRows.count * 16
        if let rows, rows.count > 0 { left += trim(rows, held, scratch) }
        if let keys, keys.count > 0 { left += trim(keys, held, scratch) }
        return left
    }

    private func trim(_ rows: NotedRows, _ held: [CommitNumber], _ scratch: DataBuffer) -> Int {
        var count = 0
        try? rows.forEachRow { _, bytes in
            if Versions(bytes).lastChange > held.first ?? .max { count += 1 }
        }
        guard count > 0 else {
            rows.removeAll()
            return 0
        }
        let trimmed = NotedRows(room: count)
        var left = 0
        try? rows.forEachRow { row, bytes in
            guard Versions(bytes).writeTrimmed(to: scratch, held: held) else { return }
            left += scratch.count + Self.rowOverhead
            scratch.withUnsafeBytes { trimmed.put($0, at: row) }
        }
        self.rows = trimmed
        return left
    }

    private func trim(_ keys: OrderedTable, _ held: [CommitNumber], _ scratch: DataBuffer) -> Int {
        let trimmed = OrderedTable()
        var left = 0
        var walk = EntryWalk(keys, from: nil)
        while let (key, bytes) = walk.entry {
            if Versions(bytes).writeTrimmed(to: scratch, held: held) {
                left += scratch.count + key.count + Self.keyOverhead
                scratch.withUnsafeBytes { trimmed.put($0, for: key) }
            }
            walk.advance()
        }
        self.keys = trimmed
        return left
    }

    /// Calls `body` with what is kept of each row and key, in an order that stays.
    func forEachVersions(
        _ body: (Versions) throws(BackendError) -> Void
    ) throws(BackendError) {
        try rows?.forEachRow { _, bytes throws(BackendError) in try body(Versions(bytes)) }
        var walk = EntryWalk(keys, from: nil)
        while let (_, bytes) = walk.entry {
            try body(Versions(bytes))
            walk.advance()
        }
    }
}

/// The keys that one commit has changed in one table. An engine's lock guards it.
package protocol ChangedKeys: AnyObject {
    /// Whether the commit has put the key, or deleted it where it was there.
    func contains(_ key: UnsafeRawBufferPointer) throws(BackendError) -> Bool
}
