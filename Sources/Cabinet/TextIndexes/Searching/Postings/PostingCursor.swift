/// Walks over rows with their counts in ascending order, and gives what they add to scores.
struct PostingCursor {
    /// What a row, or the best of several, adds to a score.
    struct Share {
        var score: Double
        var typos: UInt8
    }

    private let counts: RowCounts
    private let statistics: SearchStatistics
    private let weight: Double
    /// The scores of what stands once in short texts, which are the most, by their lengths.
    private let ofOnce: [Double]
    private var place = 0

    /// - Parameter weight: 0 if there are no scores.
    init(_ counts: RowCounts, _ statistics: SearchStatistics, weight: Double) {
        (self.counts, self.statistics, self.weight) = (counts, statistics, weight)
        // Few rows need no table.
        let lengths = counts.rows.count < 256 ? 0..<0 : 0..<256
        ofOnce = lengths.map { statistics.score(weight: weight, frequency: 1, length: $0) }
    }

    /// Moves to the first row that is not before `row`: no row before those that it was moved to.
    @inline(__always)
    mutating func advance(to row: UInt32) {
        place = counts.rows.withUnsafeBufferPointer { $0.lowerBound(of: row, from: place) }
    }

    /// What `row` adds, to which the cursor was moved; `nil` if it does not stand in the text of that.
    @inline(__always)
    func share(of row: UInt32) -> Share? {
        guard place < counts.rows.count, counts.rows[place] == row else { return nil }
        let frequency = counts.frequencies[place]
        guard frequency > 0 else { return nil }
        return Share(
            score: score(frequency, counts.lengths[place]),
            typos: counts.typos.isEmpty ? 0 : counts.typos[place])
    }

    /// No row from the one that the cursor was moved to through `last` adds more; `nil` if none of them adds
    /// anything.
    var bound: (share: Share?, last: UInt32) {
        guard place < counts.rows.count else { return (nil, .max) }
        let block = place / RowCounts.blockSize
        let end = min((block + 1) * RowCounts.blockSize, counts.rows.count)
        let bound = counts.bounds[block]
        guard bound.frequency > 0 else { return (nil, counts.rows[end - 1]) }
        let share = Share(score: score(bound.frequency, bound.length), typos: bound.typos)
        return (share, counts.rows[end - 1])
    }

    @inline(__always)
    private func score(_ frequency: UInt32, _ length: UInt32) -> Double {
        if frequency == 1, length < ofOnce.count { return ofOnce[Int(length)] }
        return statistics.score(weight: weight, frequency: Int(frequency), length: Int(length))
    }
}
