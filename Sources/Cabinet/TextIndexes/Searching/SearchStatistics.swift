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
