import CabinetTextSearch

/// Gives rows their scores and typos, and passes over those that cannot be among the best.
struct RelevanceScorer {
    /// Where each part of the search that counts stands in each field: part after part.
    private var cursors: [PostingCursor] = []
    /// Where the cursors of each part end.
    private var ends: [Int] = []
    /// Whether each row has all parts, so that the typos of each count.
    private let areAllThere: Bool

    init(areAllThere: Bool) { self.areAllThere = areAllThere }

    /// Adds a part, by where it stands in each field: of several fields, the least typos count.
    mutating func add(_ fields: [PostingCursor]) {
        cursors += fields
        ends.append(cursors.count)
    }

    /// Adds rows to what was found.
    /// - Parameter rows: in ascending order.
    mutating func score(_ rows: [UInt32], into found: inout FoundRows) {
        found.count(rows.count)
        rows.withUnsafeBufferPointer { rows in
            // The best that rows through `last` can be.
            var (best, last) = (PostingCursor.Share(score: 0, typos: 0), UInt32(0))
            var place = 0
            while place < rows.count {
                let row = rows[place]
                if found.keepsBest {
                    if row > last { (best, last) = bound(from: row) }
                    guard found.mayTake(row, best.score, Int(best.typos)) else {
                        guard last < .max else { return }
                        place = rows.lowerBound(of: last + 1, from: place)
                        continue
                    }
                }
                let own = sum(areAllThere: true) { cursor in
                    cursor.advance(to: row)
                    return cursor.share(of: row)
                }
                found.take(row, own.score, Int(own.typos))
                place += 1
            }
        }
    }

    /// The best that rows from `row` through `last` can be.
    private mutating func bound(from row: UInt32) -> (PostingCursor.Share, last: UInt32) {
        var last = UInt32.max
        let sum = sum(areAllThere: areAllThere) { cursor in
            cursor.advance(to: row)
            let bound = cursor.bound
            last = min(last, bound.last)
            return bound.share
        }
        return (sum, last)
    }

    /// Adds up what the cursors give, part after part.
    /// - Parameter areAllThere: whether the typos of parts count.
    @inline(__always)
    private mutating func sum(
        areAllThere: Bool, _ body: (inout PostingCursor) -> PostingCursor.Share?
    ) -> PostingCursor.Share {
        var sum = PostingCursor.Share(score: 0, typos: 0)
        cursors.withUnsafeMutableBufferPointer { cursors in
            var field = 0
            for end in ends {
                var typos: UInt8?
                while field < end {
                    if let share = body(&cursors[field]) {
                        sum.score += share.score
                        typos = min(typos ?? .max, share.typos)
                    }
                    field += 1
                }
                if areAllThere { sum.typos = UInt8(clamping: Int(sum.typos) + Int(typos ?? 0)) }
            }
        }
        return sum
    }
}
