import CabinetBackend

/// A walk over keys in their order or against it. Each step is a transaction of its own; in between the
/// walk keeps the last key that it met.
final class SQLEntryCursor: EntryCursor {
    private let reader: SQLReader
    private let table: TableNumber
    private let range: KeyRange
    private let isDescending: Bool
    private let isOrdered: Bool
    /// What is left of the walk; `nil` at its end.
    private var left: KeyRange?

    init(
        _ reader: SQLReader, _ table: TableNumber, _ range: KeyRange, descending: Bool,
        isOrdered: Bool
    ) {
        self.reader = reader
        self.table = table
        self.range = range
        isDescending = descending
        self.isOrdered = isOrdered
        left = range
    }

    func next(_ run: EntryRun, limit: Int) throws(BackendError) -> Bool {
        run.removeAll()
        try fill(limit) { key, value in
            run.append(key, value)
            return !run.isFull
        }
        return !run.isEmpty
    }

    func next(_ run: RowRun, limit: Int) throws(BackendError) -> Bool {
        run.removeAll()
        return try fill(min(max(limit, 1), RowRun.fullCount)) { key, value in
            run.append(key, value)
            return !run.isFull
        }
    }

    /// Gives the next entries to `body` until it wants no more. Returns whether there was one.
    @discardableResult
    private func fill(
        _ limit: Int,
        _ body: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> Bool
    ) throws(BackendError) -> Bool {
        guard let left else {
            try reader.core.pool.checkOpen()
            return false
        }
        var rest = max(limit, 1)
        let last = try reader.core.route.entries(
            in: table, left, descending: isDescending, limit: rest, asOf: reader.hold?.commit,
            reader.core
        ) { key, value in
            rest -= 1
            return body(key, value) && rest > 0
        }
        if let last {
            if isDescending {
                self.left?.upper = last
            } else {
                // The key that follows it in the order of bytes.
                self.left?.lower = last + [0]
            }
        } else {
            self.left = nil
        }
        return rest < max(limit, 1)
    }

    func seek(_ key: [UInt8]) throws(BackendError) {
        guard isOrdered else { throw .unsupported("a search for a key in a named table") }
        var wanted = range
        if isDescending {
            let end = key + [0]
            if wanted.upper.map({ end.lexicographicallyPrecedes($0) }) ?? true {
                wanted.upper = end
            }
        } else if wanted.lower?.lexicographicallyPrecedes(key) ?? true {
            wanted.lower = key
        }
        left = wanted
    }
}

extension StateAsOf {
    /// Calls `body` with the entries of a range until it returns `false`. Returns the last key then; `nil` at
    /// the end of the range.
    func forEachEntry(
        in table: TableNumber, _ range: KeyRange, descending: Bool,
        _ body: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> Bool
    ) throws(BackendError) -> [UInt8]? {
        guard let kind = kind(of: table), kind != .record else { return nil }
        let isBounded = range.upper != nil
        return try (range.lower ?? []).withUnsafeBytesThrowing { lower throws(BackendError) in
            try (range.upper ?? []).withUnsafeBytesThrowing { upper throws(BackendError) in
                func start(_ text: SQLText) throws(BackendError) -> any SQLStatement {
                    let statement = try session.statement(text)
                    statement.bind(commit, at: 1)
                    statement.bind(lower, at: 2)
                    if isBounded { statement.bind(upper, at: 3) }
                    return statement
                }
                let now = try start(
                    .keys(table, isBounded: isBounded, descending: descending))
                defer { now.reset() }
                guard !isLast else { return try go(now, nil, table, descending, body) }
                let past = try start(.pastKeys(isBounded: isBounded, descending: descending))
                past.bind(Int64(table.rawValue), at: isBounded ? 4 : 3)
                defer { past.reset() }
                return try go(now, past, table, descending, body)
            }
        }
    }

    /// Merges what is and what was. No key is in both.
    private func go(
        _ now: any SQLStatement, _ past: (any SQLStatement)?, _ table: TableNumber,
        _ descending: Bool,
        _ body: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> Bool
    ) throws(BackendError) -> [UInt8]? {
        var (hasNow, hasPast) = (try now.step(), try past?.step() ?? false)
        while hasNow || hasPast {
            var isNow = hasNow
            if hasNow, hasPast, let past {
                let (one, other) = (now.bytes(0), past.bytes(0))
                isNow =
                    descending
                    ? other.lexicographicallyPrecedes(one) : one.lexicographicallyPrecedes(other)
            }
            let statement = isNow ? now : past ?? now
            let (key, stored) = (statement.bytes(0), statement.bytes(1))
            guard StoredValue.isSound(stored, of: key) else { throw damaged("a key", table) }
            if !body(key, StoredValue.value(stored)) { return [UInt8](key) }
            if isNow { hasNow = try now.step() } else { hasPast = try past?.step() ?? false }
        }
        return nil
    }
}
