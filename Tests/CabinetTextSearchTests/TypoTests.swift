import Testing
import TrustSupport

@testable import CabinetTextSearch

/// The distance by its definition: every way to take both words apart from the end, remembered.
struct TypoReference {
    let own: [Unicode.Scalar]
    let other: [Unicode.Scalar]
    private var known: [[Int?]]

    init(_ own: String, _ other: String) {
        self.own = Array(own.unicodeScalars)
        self.other = Array(other.unicodeScalars)
        known = Array(
            repeating: Array(repeating: nil, count: self.other.count + 1), count: self.own.count + 1
        )
    }

    mutating func cost(_ i: Int, _ j: Int) -> Int {
        if let cost = known[i][j] { return cost }
        var options: [Int] = i == 0 && j == 0 ? [0] : []
        if i > 0 { options.append(cost(i - 1, j) + (i == 1 ? 2 : 1)) }
        if j > 0 { options.append(cost(i, j - 1) + (i == 0 ? 2 : 1)) }
        if i > 0, j > 0 {
            options.append(cost(i - 1, j - 1) + (own[i - 1] == other[j - 1] ? 0 : i == 1 ? 2 : 1))
        }
        if i > 1, j > 1, own[i - 1] == other[j - 2], own[i - 2] == other[j - 1] {
            options.append(cost(i - 2, j - 2) + (i == 2 ? 2 : 1))
        }
        let least = options.min() ?? 0
        known[i][j] = least
        return least
    }

    mutating func least(limit: Int, isPrefix: Bool) -> Int? {
        let ends = isPrefix ? Array(0...other.count) : [other.count]
        let least = ends.map { cost(own.count, $0) }.min() ?? 0
        return least <= limit ? least : nil
    }
}

struct TypoTests {
    private func cost(_ own: String, _ other: String, _ limit: Int, isPrefix: Bool = false) -> Int?
    {
        Array(own.utf8).withUnsafeBytes { own in
            Array(other.utf8).withUnsafeBytes { other in
                TypoPattern(own, limit: limit, isPrefix: isPrefix).cost(of: other)
            }
        }
    }

    @Test func theFirstLetterCountsDouble() {
        #expect(cost("beethoven", "beethoven", 2) == 0)
        #expect(cost("beethoven", "bethoven", 2) == 1)
        #expect(cost("beethoven", "beehtoven", 2) == 1)
        #expect(cost("beethoven", "beethovven", 2) == 1)
        #expect(cost("beethoven", "beathoben", 2) == 2)
        #expect(cost("beethoven", "peethoven", 2) == 2)
        #expect(cost("beethoven", "eethoven", 2) == 2)
        #expect(cost("beethoven", "ebethoven", 2) == 2)
        #expect(cost("beethoven", "xbeethoven", 2) == 2)
        #expect(cost("beethoven", "peethofen", 2) == nil)
        #expect(cost("beethoven", "peethoven", 1) == nil)
        #expect(cost("symf", "symphony", 1, isPrefix: true) == 1)
        #expect(cost("symph", "sympathy", 1, isPrefix: true) == 1)
        #expect(cost("symfo", "symphony", 2, isPrefix: true) == 2)
    }

    static let alphabets: [[String]] = [
        ["a", "b", "c"], ["е", "ё", "ж"], ["ا", "ب", "\u{64E}"], ["क", "ि", "्"], ["ก", "ิ", "น"],
        ["東", "京", "都"], ["😀", "👩", "a"], ["\u{D7FF}", "\u{E000}", "\u{10FFFF}", "é"],
    ]

    @Test(arguments: alphabets)
    func costsAreThoseOfTheDefinition(_ letters: [String]) {
        var random = SeededRandom(seed: RunSetting.seed)
        func word() -> String {
            (0..<random.below(7)).map { _ in letters[random.below(letters.count)] }.joined()
        }
        for _ in 0..<3000 {
            let (own, other, limit) = (word(), word(), random.below(3))
            for isPrefix in [false, true] {
                var reference = TypoReference(own, other)
                let expected = reference.least(limit: limit, isPrefix: isPrefix)
                #expect(cost(own, other, limit, isPrefix: isPrefix) == expected, "\(own) \(other)")
            }
        }
    }
}

struct FoundWord: Hashable {
    let word: [UInt8]
    let cost: Int
}
