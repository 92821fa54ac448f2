import CabinetBackend

/// A walk over rows in their order. It keeps a row number and no place in memory, so commits in
/// between neither repeat nor lose a row.
final class MemoryRecordCursor: RecordCursor {
    private let backend: MemoryBackend
    private let table: TableNumber
    /// The row to go on from; `nil` at the end.
    private var next: Int? = 0

    init(of backend: MemoryBackend, _ table: TableNumber) {
        self.backend = backend
        self.table = table
    }

    func next(_ run: RecordRun) throws(BackendError) -> Bool {
        run.removeAll()
        guard let start = next else {
            try backend.checkOpen()
            return false
        }
        next = try backend.fill(run, from: start, in: table)
        return !run.isEmpty
    }
}

/// A walk over keys in their order or against it. It keeps the last key that it met.
final class MemoryEntryCursor: EntryCursor {
    private let backend: MemoryBackend
    private let table: TableNumber
    private var range: KeyRange
    private let isDescending: Bool
    private var passed: [UInt8]?
    private var isAtEnd = false

    init(
        of backend: MemoryBackend, _ table: TableNumber, _ range: KeyRange, descending: Bool
    ) {
        self.backend = backend
        self.table = table
        self.range = range
        isDescending = descending
    }

    func next(_ run: EntryRun, limit: Int) throws(BackendError) -> Bool { try next(run) }
    func seek(_ key: [UInt8]) throws(BackendError) {
        range.lower = key
        passed = nil
        isAtEnd = false
    }
    func next(_ run: EntryRun) throws(BackendError) -> Bool {
        run.removeAll()
        guard !isAtEnd else {
            try backend.checkOpen()
            return false
        }
        passed = try backend.fill(
            run, range: range, after: passed, descending: isDescending, in: table)
        isAtEnd = passed == nil
        return !run.isEmpty
    }
}
