import Foundation

/// What the score of a hit is made of beside the hit itself: of the texts of one field, how many there are,
/// how long they are, and how many have each leaf.
struct SearchStatistics {
    var rows = 0
    var length = 0
    /// Of each wanted leaf, in how many texts it stands.
    var rowsWithLeaf: [Int]

    /// The parameters of the formula, as in most programs: how soon further occurrences count less, and how
    /// much the length of a text counts.
    private static let (saturation, lengthWeight) = (1.2, 0.75)

    init(leaves: Int) { rowsWithLeaf = Array(repeating: 0, count: leaves) }

    /// The weight of a leaf: the rarer, the higher.
    func weight(ofLeaf leaf: Int) -> Double {
        let (all, having) = (Double(rows), Double(min(rowsWithLeaf[leaf], rows)))
        return log(1 + (all - having + 0.5) / (having + 0.5))
    }

    /// What a leaf of that weight adds to the score of a text of that length, in which it stands so often.
    ///
    /// Okapi BM25 (Robertson and Walker 1994) with k1 1.2 and b 0.75, and Lucene's form of the weight, which
    /// is never negative.
    @inline(__always)
    func score(weight: Double, frequency: Int, length: Int) -> Double {
        Self.score(weight: weight, frequency: frequency, damping: damping(length: length))
    }

    /// What the length of a text takes off the frequencies of terms in it.
    @inline(__always)
    func damping(length: Int) -> Double {
        let average = rows > 0 ? max(Double(self.length) / Double(rows), 1) : 1
        let relative = Double(length) / average
        return Self.saturation * (1 - Self.lengthWeight + Self.lengthWeight * relative)
    }

    @inline(__always)
    static func score(weight: Double, frequency: Int, damping: Double) -> Double {
        let count = Double(frequency)
        return weight * count * (saturation + 1) / (count + damping)
    }
}

/// Adds what one leaf in one field counts to the scores of many rows.
struct LeafScorer {
    private let statistics: SearchStatistics
    private let weight: Double
    /// Of short texts, which are the most, what their length takes off.
    private let dampings: [Double]

    init(_ statistics: SearchStatistics, weight: Double) {
        self.statistics = statistics
        self.weight = weight
        dampings = (0..<256).map { statistics.damping(length: $0) }
    }

    func add(_ counts: LeafCounts, to scores: inout [Double]) {
        for place in scores.indices where counts.frequencies[place] > 0 {
            let length = Int(counts.lengths[place])
            let damping =
                length < dampings.count
                ? dampings[length] : statistics.damping(length: length)
            scores[place] += SearchStatistics.score(
                weight: weight, frequency: Int(counts.frequencies[place]), damping: damping)
        }
    }
}
