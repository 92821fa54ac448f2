import CLibrary

/// How well an object fits a search: Okapi BM25 with weighted fields.
///
/// For each word that is looked for,
///
///     idf · tf · (k1 + 1) / (tf + k1 · (1 − b + b · length / average)),   k1 = 1.2, b = 0.75
///     idf = ln(1 + (N − n + 0.5) / (n + 0.5))
///
/// added up (Robertson and Zaragoza, *The Probabilistic Relevance Framework: BM25 and Beyond*, 2009,
/// equation 3.15; the 1 in `idf`, as Lucene has it, keeps words in more than half of the rows from counting
/// against a hit). Frequencies and lengths are sums over the fields times their weights, before the formula
/// (section 3.6.1, BM25F with one `b`). N is the number of rows, n how many of them have the word.
///
/// `Sendable`: a value.
struct RelevanceScore: Sendable {
    static let saturation = 1.2
    static let lengthShare = 0.75

    let rowCount: Int
    let weights: [Double]
    private let averageLength: Double

    /// - Parameters:
    ///   - rowCount: how many rows there are.
    ///   - totalLengths: of each field, the words of all rows.
    ///   - weights: of each field, how much it counts: 1 is usual, 0 not at all.
    init(rowCount: Int, totalLengths: [Int], weights: [Double]) {
        precondition(totalLengths.count == weights.count, "Each field needs a weight.")
        self.rowCount = rowCount
        self.weights = weights
        averageLength =
            Self.sum(totalLengths, weights) / Double(max(rowCount, 1))
    }

    private static func sum(_ numbers: [Int], _ weights: [Double]) -> Double {
        zip(numbers, weights).reduce(0) { $0 + Double($1.0) * $1.1 }
    }

    /// How much a word says that `count` rows have; above 0.
    func rarity(_ count: Int) -> Double {
        // Counts of an index that is being changed may be behind each other.
        let count = Double(min(max(count, 0), rowCount))
        return log(1 + (Double(rowCount) - count + 0.5) / (count + 0.5))
    }

    /// By how much a word counts less as its row is long: what stands beside `tf` in the denominator.
    func damping(_ lengths: [Int]) -> Double {
        let ratio = averageLength > 0 ? Self.sum(lengths, weights) / averageLength : 1
        return Self.saturation * (1 - Self.lengthShare + Self.lengthShare * ratio)
    }

    /// What one word adds to the score of a row.
    /// - Parameters:
    ///   - frequencies: of each field, how often it has the word.
    ///   - rarity: ``rarity(_:)`` of the word.
    ///   - damping: ``damping(_:)`` of the row.
    func score(_ frequencies: [Int], rarity: Double, damping: Double) -> Double {
        let frequency = Self.sum(frequencies, weights)
        guard frequency > 0 else { return 0 }
        return rarity * frequency * (Self.saturation + 1) / (frequency + damping)
    }

    /// The most that a word can add to the score of any row.
    func bound(rarity: Double) -> Double { rarity * (Self.saturation + 1) }

    /// The score of a match.
    /// - Parameter rarities: of each wanted leaf.
    func score(_ match: SearchMatch, rarities: [Double]) -> Double {
        let damping = damping(match.wordCounts)
        return zip(match.frequencies, rarities).reduce(0) {
            $0 + score($1.0, rarity: $1.1, damping: damping)
        }
    }
}
