import CabinetBackend
import Foundation

/// A walk over rows with the backend's fault.
final class FaultyRecordCursor: RecordCursor {
    private let owner: RuleBreakingBackend
    private let table: TableNumber
    private var inner: any RecordCursor
    private var isFirst = true
    private var hasRepeated = false
    private let maker = ObjectIdentifier(Thread.current)

    init(_ owner: RuleBreakingBackend, _ table: TableNumber, _ inner: any RecordCursor) {
        self.owner = owner
        self.table = table
        self.inner = inner
    }

    func next(_ run: RecordRun) throws(BackendError) -> Bool {
        try owner.check()
        defer { isFirst = false }
        switch owner.fault {
        case .leavesRun:
            let found = RecordRun()
            guard try inner.next(found) else { return false }
            run.removeAll()
            copy(found, to: run)
            return true
        case .startsAgain:
            if try inner.next(run) { return true }
            inner = try owner.inner.records(in: table)
            return false
        case .skipsARow:
            let isThere = try inner.next(run)
            if isFirst { _ = run.next() }
            return isThere
        case .oneRun:
            run.removeAll()
            let found = RecordRun()
            while try inner.next(found) { copy(found, to: run) }
            return !run.isEmpty
        case .repeatsChanged:
            if try inner.next(run) { return true }
            guard !hasRepeated else { return false }
            hasRepeated = true
            let value = DataBuffer()
            for row in owner.shelf.state.withLock({ Array($0.changed.prefix(50)) }) {
                guard try owner.inner.value(of: row, in: table, into: value) else { continue }
                value.withUnsafeBytes { run.append(row, $0) }
            }
            return !run.isEmpty
        case .walksInTable:
            guard ObjectIdentifier(Thread.current) == maker else { return false }
            return try inner.next(run)
        case .sharesOneWalk:
            return try nextOfSharedWalk(run)
        default:
            return try inner.next(run)
        }
    }

    func nextAhead(_ run: RecordRun) throws(BackendError) -> Bool? {
        while owner.fault == .waitsForBatches, owner.shelf.state.withLock({ $0.open > 0 }) {
            Thread.sleep(forTimeInterval: 0.001)
        }
        return try next(run)
    }

    /// One position for all walks, as a file has that knows a single iterator.
    private func nextOfSharedWalk(_ run: RecordRun) throws(BackendError) -> Bool {
        run.removeAll()
        let start = owner.shelf.state.withLock { $0.walked }
        let value = DataBuffer()
        var row = start
        while row < 20_000, !run.isFull {
            if try owner.inner.value(of: row, in: table, into: value) {
                value.withUnsafeBytes { run.append(row, $0) }
            }
            row = row.next
        }
        owner.shelf.state.withLock { $0.walked = row < 20_000 ? row : 0 }
        return !run.isEmpty
    }

    private func copy(_ from: RecordRun, to run: RecordRun) {
        while let (row, value) = from.next() { run.append(row, value) }
    }
}

/// A walk over keys with the backend's fault.
final class FaultyEntryCursor: EntryCursor {
    private let owner: RuleBreakingBackend
    private let inner: any EntryCursor
    private var last: (key: [UInt8], value: [UInt8])?

    init(
        _ owner: RuleBreakingBackend, _ table: TableNumber, _ range: KeyRange, _ descending: Bool
    ) throws(BackendError) {
        self.owner = owner
        var range = range
        if owner.fault == .includesUpperEnd { range.upper?.append(0) }
        if owner.fault == .sharesOneWalk, let passed = owner.shelf.state.withLock({ $0.passed }) {
            range.lower = passed
        }
        inner = try owner.inner.entries(
            in: table, range: range,
            descending: descending && owner.fault != .ignoresDescending)
    }

    init(_ owner: RuleBreakingBackend, _ inner: any EntryCursor) {
        self.owner = owner
        self.inner = inner
    }

    func seek(_ key: [UInt8]) throws(BackendError) {
        try owner.check()
        // As if the key itself had been met.
        try inner.seek(owner.fault == .seeksBehind ? key + [0] : key)
    }

    func next(_ run: RowRun, limit: Int) throws(BackendError) -> Bool {
        let entries = EntryRun()
        run.removeAll()
        if owner.fault == .losesEntriesToRows { _ = try inner.next(entries, limit: 1) }
        guard try next(entries, limit: limit) else { return false }
        while let (key, value) = entries.next() {
            // As if each row stood in its key.
            let none = UnsafeRawBufferPointer(start: nil, count: 0)
            run.append(key, owner.fault == .mistakesRows ? none : value)
        }
        return true
    }

    func next(_ run: EntryRun, limit: Int) throws(BackendError) -> Bool {
        try owner.check()
        let found = EntryRun()
        run.removeAll()
        guard try inner.next(found, limit: owner.fault == .ignoresLimits ? .max : limit) else {
            return false
        }
        var entries: [(key: [UInt8], value: [UInt8])] = []
        while let (key, value) = found.next() { entries.append((Array(key), Array(value))) }
        switch owner.fault {
        case .ordersByLength: entries.sort { $0.key.count < $1.key.count }
        case .repeatsLastKey: entries.insert(contentsOf: last.map { [$0] } ?? [], at: 0)
        default: break
        }
        last = entries.last
        owner.shelf.state.withLock { $0.passed = last?.key }
        for (key, value) in entries {
            key.withUnsafeBytes { key in value.withUnsafeBytes { run.append(key, $0) } }
        }
        return true
    }
}
