import CabinetBackend

/// Where commits have changed rows: sorted runs of entries, the shorter ones merged, so that a look-up is a few
/// binary searches. `Sendable`: a value.
struct WaitingRows: Sendable {
    /// Commits have ascending numbers here, from 0 on.
    typealias Ordinal = UInt32

    struct Entry: Sendable {
        fileprivate let place: UInt64
        let commit: Ordinal
        let stretch: OperationStretch

        init(_ row: RowPlace, in commit: Ordinal, _ stretch: OperationStretch) {
            place = Self.place(of: row)
            (self.commit, self.stretch) = (commit, stretch)
        }

        fileprivate static func place(of row: RowPlace) -> UInt64 {
            UInt64(row.table.rawValue) << 32 | UInt64(row.row.rawValue)
        }

        /// The entries of a row stand together, in the order in which it was changed.
        @inline(__always)
        fileprivate static func < (one: Entry, other: Entry) -> Bool {
            if one.place != other.place { return one.place < other.place }
            if one.commit != other.commit { return one.commit < other.commit }
            if one.stretch.piece != other.stretch.piece {
                return one.stretch.piece < other.stretch.piece
            }
            return one.stretch.offset < other.stretch.offset
        }
    }

    private var runs: [[Entry]] = []
    private(set) var count = 0

    /// A run of more entries is not merged with others, so that it can go with the last of its commits.
    private static let mergedAtMost = 1 << 16

    /// Adds the entries of the next commit.
    mutating func append(_ entries: [Entry]) {
        if entries.isEmpty { return }
        count += entries.count
        var run = entries
        // Large saves write their rows in order.
        if !zip(run, run.dropFirst()).allSatisfy({ $0 < $1 }) { run = run.inOrder(by: <) }
        while let last = runs.last, last.count < 2 * run.count,
            last.count + run.count <= Self.mergedAtMost
        {
            runs.removeLast()
            run = Self.merged(last, run)
        }
        runs.append(run)
    }

    private static func merged(_ one: [Entry], _ other: [Entry]) -> [Entry] {
        var (left, right) = (one[...], other[...])
        var all: [Entry] = []
        all.reserveCapacity(one.count + other.count)
        while let first = left.first, let second = right.first {
            if second < first {
                all.append(second)
                right.removeFirst()
            } else {
                all.append(first)
                left.removeFirst()
            }
        }
        return all + left + right
    }

    /// Where commits have changed a row, in their order.
    func entries(of row: RowPlace) -> [Entry] {
        let place = Entry.place(of: row)
        var found: [Entry] = []
        for run in runs {
            let first = run.partitioningIndex { $0.place >= place }
            found += run[first...].prefix { $0.place == place }
        }
        return found.inOrder(by: <)
    }

    /// Gives up runs with entries of commits before one alone.
    mutating func removeRuns(before first: Ordinal) {
        runs.removeAll { run in run.allSatisfy { $0.commit < first } }
        count = runs.reduce(0) { $0 + $1.count }
    }
}
