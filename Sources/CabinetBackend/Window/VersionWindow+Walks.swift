// Walks over tables as they were at a commit that a reader holds: what is there now and what the
// window has noted, merged by row or key, so that a walk can go on anywhere.
extension VersionWindow {
    /// Adds rows from `start` on to `run` until it is full. Returns where to go on, or `nil` when
    /// no row is left. `now` is what the table holds now.
    package func fill(
        _ run: RecordRun, from start: Int, in table: TableNumber, at commit: CommitNumber,
        now: RecordTable?
    ) throws(BackendError) -> Int? {
        guard let noted = rows(of: table) else { return now?.fill(run, from: start) }
        var live = now?.first(from: start)
        var old = noted.first(from: start)
        while let row = live.map({ min($0.row, old?.row ?? .max) }) ?? old?.row {
            if let (_, bytes) = old, old?.row == row {
                switch Versions(bytes).version(at: commit) {
                case .absent: break
                case .value(let value): run.append(row, value)
                case .spilled(let value):
                    try read(value) { run.append(row, $0) }
                case .current:
                    if let (found, value) = live, found == row { run.append(row, value) }
                }
                old = noted.first(from: row.index + 1)
            } else if let (_, value) = live {
                run.append(row, value)
            }
            if live?.row == row { live = now?.first(from: row.index + 1) }
            if run.isFull { return row.index + 1 }
        }
        return nil
    }

    /// Adds entries to `run`, at most `limit`: up from `start` and before `end`, or, `descending`,
    /// down from the last one before `end` and not below `start`. Returns the last key met if there
    /// may be more, or `nil` when none is left.
    package func fill(
        _ run: EntryRun, limit: Int, from start: Bound?, to end: [UInt8]?, descending: Bool,
        in table: TableNumber, at commit: CommitNumber, now: OrderedTable?
    ) throws(BackendError) -> [UInt8]? {
        let noted = keys(of: table)
        var live = descending ? EntryWalk(now, before: end) : EntryWalk(now, from: start)
        var old = descending ? EntryWalk(noted, before: end) : EntryWalk(noted, from: start)
        var left = max(limit, 1)
        while let key = Self.first(live.entry?.key, old.entry?.key, descending) {
            if descending, let start, Self.order(key, start.key) < 0 { return nil }
            if !descending, let end, Self.order(key, end) >= 0 { return nil }
            let current = live.entry.flatMap { KeyOrder.order($0.key, key) == 0 ? $0.value : nil }
            let found = old.entry.flatMap { KeyOrder.order($0.key, key) == 0 ? $0.value : nil }
            if try add(key, found, current, at: commit, to: run) {
                left -= 1
                if run.isFull || left == 0 { return [UInt8](key) }
            }
            if current != nil { live.advance() }
            if found != nil { old.advance() }
        }
        return nil
    }

    /// How many keys of a table lay in `range`.
    package func count(
        in range: KeyRange, of table: TableNumber, at commit: CommitNumber, now: OrderedTable?
    ) -> Int {
        var count = now?.count(in: range) ?? 0
        guard let noted = keys(of: table) else { return count }
        var walk = EntryWalk(noted, from: range.lower.map { Bound(key: $0, isPassed: false) })
        while let (key, bytes) = walk.entry {
            if let upper = range.upper, Self.order(key, upper) >= 0 { break }
            let isThere = now?.value(for: key) != nil
            switch Versions(bytes).version(at: commit) {
            case .current: break
            case .absent: count -= isThere ? 1 : 0
            case .value, .spilled: count += isThere ? 0 : 1
            }
            walk.advance()
        }
        return count
    }

    /// Adds what a key was, by what is noted of it and what it is now. `false`: it was not there.
    private func add(
        _ key: UnsafeRawBufferPointer, _ noted: UnsafeRawBufferPointer?,
        _ now: UnsafeRawBufferPointer?, at commit: CommitNumber, to run: EntryRun
    ) throws(BackendError) -> Bool {
        switch noted.map({ Versions($0).version(at: commit) }) ?? .current {
        case .current:
            guard let now else { return false }
            run.append(key, now)
        case .absent: return false
        case .value(let value): run.append(key, value)
        case .spilled(let value): try read(value) { run.append(key, $0) }
        }
        return true
    }

    /// Calls `body` with a value that lies in the file.
    private func read(
        _ value: SpilledValue, _ body: (UnsafeRawBufferPointer) -> Void
    ) throws(BackendError) {
        let buffer = DataBuffer()
        buffer.sizeLimit = .max
        try read(value, into: buffer)
        buffer.withUnsafeBytes(body)
    }

    /// Which of two keys comes first in the direction of a walk.
    private static func first(
        _ one: UnsafeRawBufferPointer?, _ other: UnsafeRawBufferPointer?, _ descending: Bool
    ) -> UnsafeRawBufferPointer? {
        guard let one, let other else { return one ?? other }
        return (KeyOrder.order(one, other) <= 0) != descending ? one : other
    }

    private static func order(_ key: UnsafeRawBufferPointer, _ bound: [UInt8]) -> Int {
        bound.withUnsafeBytes { KeyOrder.order(key, $0) }
    }
}
