import CabinetBackend

/// A walk over rows in their order. It keeps a row number and no address, so commits in between
/// neither repeat nor lose a row.
final class MemoryRecordCursor: RecordCursor {
    /// Adds rows from `start` on to a run. Returns where to go on, or `nil` at the end.
    typealias Filling = (_ run: RecordRun, _ start: Int) throws(BackendError) -> Int?

    private let fill: Filling
    /// The row to go on from. Behind all rows at the end, where an empty run still shows whether
    /// the backend was closed.
    private var next = 0

    init(_ fill: @escaping Filling) { self.fill = fill }

    func next(_ run: RecordRun) throws(BackendError) -> Bool {
        run.removeAll()
        next = try fill(run, next) ?? RowID.max.index + 1
        return !run.isEmpty
    }
}

/// A walk over keys in their order or against it. It keeps the last key that it met.
final class MemoryEntryCursor: EntryCursor {
    /// What is left of a walk, and how many entries of it are wanted.
    struct Stretch {
        var start: Bound?
        var end: [UInt8]?
        var limit: Int
    }

    /// Adds the entries of a stretch to a run. Returns the last key met, or `nil` at the end.
    typealias Filling = (_ run: EntryRun, _ stretch: Stretch) throws(BackendError) -> [UInt8]?

    private let fill: Filling
    private let range: KeyRange
    private let isDescending: Bool
    private let isOrdered: Bool
    private var left: Stretch
    private var entries: EntryRun?

    init(
        _ range: KeyRange, isDescending: Bool, isOrdered: Bool, _ fill: @escaping Filling
    ) {
        self.range = range
        self.isDescending = isDescending
        self.isOrdered = isOrdered
        self.fill = fill
        left = Self.whole(range)
    }

    private static func whole(_ range: KeyRange) -> Stretch {
        Stretch(
            start: range.lower.map { Bound(key: $0, isPassed: false) }, end: range.upper,
            limit: .max)
    }

    func next(_ run: EntryRun, limit: Int) throws(BackendError) -> Bool {
        run.removeAll()
        left.limit = limit
        if let passed = try fill(run, left) {
            if isDescending {
                left.end = passed
            } else {
                left.start = Bound(key: passed, isPassed: true)
            }
        } else {
            // Nothing lies before the empty key, whatever is put meanwhile.
            left = Stretch(start: nil, end: [], limit: 1)
        }
        return !run.isEmpty
    }

    func next(_ run: RowRun, limit: Int) throws(BackendError) -> Bool {
        run.removeAll()
        let entries = self.entries ?? EntryRun()
        self.entries = entries
        guard try next(entries, limit: min(max(limit, 1), RowRun.fullCount)) else { return false }
        while let (key, value) = entries.next() { run.append(key, value) }
        return true
    }

    func seek(_ key: [UInt8]) throws(BackendError) {
        guard isOrdered else { throw .unsupported("a search for a key in a named table") }
        left = Self.whole(range)
        if isDescending {
            // The key that follows `key` in the order of bytes.
            let end = key + [0]
            guard let upper = range.upper, !end.lexicographicallyPrecedes(upper) else {
                left.end = end
                return
            }
        } else if range.lower?.lexicographicallyPrecedes(key) ?? true {
            left.start = Bound(key: key, isPassed: false)
        }
    }
}
