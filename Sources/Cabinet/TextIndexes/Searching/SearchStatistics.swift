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
    func score(weight: Double, frequency: Int, length: Int) -> Double {
        let average = rows > 0 ? max(Double(self.length) / Double(rows), 1) : 1
        let count = Double(frequency)
        let relative = Double(length) / average
        let damping = Self.saturation * (1 - Self.lengthWeight + Self.lengthWeight * relative)
        return weight * count * (Self.saturation + 1) / (count + damping)
    }
}

/// Adds what one leaf in one field counts to the scores of many rows.
struct LeafScorer {
    private let statistics: SearchStatistics
    private let weight: Double
    /// Of short texts, which are the most, what a leaf counts that stands there once.
    private let ofOnce: [Double]

    init(_ statistics: SearchStatistics, weight: Double) {
        self.statistics = statistics
        self.weight = weight
        ofOnce = (0..<256).map { statistics.score(weight: weight, frequency: 1, length: $0) }
    }

    func add(_ counts: LeafCounts, to scores: inout [Double]) {
        scores.withUnsafeMutableBufferPointer { scores in
            counts.frequencies.withUnsafeBufferPointer { frequencies in
                counts.lengths.withUnsafeBufferPointer { lengths in
                    ofOnce.withUnsafeBufferPointer { ofOnce in
                        var place = 0
                        while place < frequencies.count {
                            let (frequency, length) = (frequencies[place], Int(lengths[place]))
                            if frequency == 1, length < 256 {
                                scores[place] += ofOnce[length]
                            } else if frequency > 0 {
                                scores[place] += statistics.score(
                                    weight: weight, frequency: Int(frequency), length: length)
                            }
                            place &+= 1
                        }
                    }
                }
            }
        }
    }
}
