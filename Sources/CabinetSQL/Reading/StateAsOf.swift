import CabinetBackend

/// A store as of a commit, within a transaction of a session.
struct StateAsOf {
    let session: Session
    /// The commit's number.
    let commit: Int64
    /// Whether nothing was committed after it.
    let isLast: Bool

    init(_ session: Session, _ commit: Int64) {
        self.session = session
        self.commit = commit
        isLast = commit >= session.state.last
    }

    func kind(of table: TableNumber) -> TableKind? {
        session.tables.kind(of: table, at: commit)
    }

    func tables() -> [TableDefinition] { session.tables.all(at: commit) }

    /// How many rows or keys a table has.
    func count(of table: TableNumber) throws(BackendError) -> Int {
        guard kind(of: table) != nil else { return 0 }
        if !isLast {
            let past = try session.statement(.pastCount)
            past.bind(Int64(table.rawValue), commit)
            if let count = try past.firstNumber() { return Int(count) }
        }
        let now = try session.statement(.numbers)
        now.bind(Int64(table.rawValue))
        return Int(try now.firstNumber() ?? 0)
    }

    /// How many keys lie in a range, or any number from the limit on.
    func count(
        of range: KeyRange, in table: TableNumber, upTo limit: Int
    ) throws(BackendError) -> Int {
        guard let kind = kind(of: table), kind != .record, limit > 0 else { return 0 }
        if range == .everything { return try count(of: table) }
        let limit = Int64(limit)
        var count = try self.count(
            of: range, by: .count(table, isBounded: range.upper != nil), then: limit)
        if !isLast, count < limit {
            count += try self.count(
                of: range, by: .pastCountOfKeys(isBounded: range.upper != nil),
                then: Int64(table.rawValue))
        }
        return Int(count)
    }

    private func count(
        of range: KeyRange, by text: SQLText, then last: Int64
    ) throws(BackendError) -> Int64 {
        let statement = try session.statement(text)
        return try (range.lower ?? []).withUnsafeBytesThrowing { lower throws(BackendError) in
            try (range.upper ?? []).withUnsafeBytesThrowing { upper throws(BackendError) in
                statement.bind(commit, at: 1)
                statement.bind(lower, at: 2)
                if range.upper != nil { statement.bind(upper, at: 3) }
                statement.bind(last, at: range.upper == nil ? 3 : 4)
                return try statement.firstNumber() ?? 0
            }
        }
    }

    // MARK: Values

    /// Calls `body` with the value of a row, which lives until it returns. `nil`: there is no such row.
    func value<Result>(
        of row: RowID, in table: TableNumber, checked: Bool = true,
        _ body: (UnsafeRawBufferPointer) throws(BackendError) -> Result
    ) throws(BackendError) -> Result? {
        guard kind(of: table) == .record else { return nil }
        return try find(.row(row), .record, table) { stored throws(BackendError) in
            if checked, !StoredValue.isSound(stored, of: row) {
                throw damaged("row \(row)", table)
            }
            return try body(StoredValue.value(stored))
        }
    }

    /// Calls `body` with the value under a key, which lives until it returns. `nil`: there is no such key.
    func value<Result>(
        forKey key: UnsafeRawBufferPointer, in table: TableNumber,
        _ body: (UnsafeRawBufferPointer) throws(BackendError) -> Result
    ) throws(BackendError) -> Result? {
        guard let kind = kind(of: table), kind != .record else { return nil }
        return try find(.key(key), kind, table) { stored throws(BackendError) in
            guard StoredValue.isSound(stored, of: key) else { throw damaged("a key", table) }
            return try body(StoredValue.value(stored))
        }
    }

    private func find<Result>(
        _ place: Place, _ kind: TableKind, _ table: TableNumber,
        _ body: (UnsafeRawBufferPointer) throws(BackendError) -> Result
    ) throws(BackendError) -> Result? {
        let now = try session.statement(.value(kind, table))
        place.bind(to: now, at: 1)
        defer { now.reset() }
        if try now.step(), now.number(0) <= commit { return try body(now.bytes(1)) }
        guard !isLast else { return nil }
        let past = try session.statement(.pastValue(kind == .record ? .record : .ordered))
        past.bind(Int64(table.rawValue), at: 1)
        place.bind(to: past, at: 2)
        past.bind(commit, at: 3)
        defer { past.reset() }
        guard try past.step(), past.number(0) <= commit, !past.isNull(1) else { return nil }
        return try body(past.bytes(1))
    }

    /// What stands in a table is not what was put there.
    func damaged(_ what: String, _ table: TableNumber) -> BackendError {
        session.damaged("\(what) of table \(table)")
    }
}
