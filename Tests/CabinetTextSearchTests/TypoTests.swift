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

    /// A walk finds what a comparison with every word of the dictionary finds.
    @Test(arguments: alphabets)
    func walksFindWhatAScanFinds(_ letters: [String]) {
        var random = SeededRandom(seed: RunSetting.seed)
        for round in 0..<60 {
            let lead: [UInt8] = round % 2 == 0 ? [] : [1]
            let words = Set(
                (0..<random.below(300)).map { _ in
                    (0..<random.below(8)).map { _ in letters[random.below(letters.count)] }.joined()
                })
            let dictionary =
                (words.map { lead + Array($0.utf8) } + [[0x30], [0xF4, 0x8F, 0xBF, 0xBF, 1]])
                .sorted { $0.lexicographicallyPrecedes($1) }
            let pattern = (0...random.below(6)).map { _ in letters[random.below(letters.count)] }
                .joined()
            for limit in 0...2 {
                for isPrefix in [false, true] {
                    let typos = Array(pattern.utf8).withUnsafeBytes {
                        TypoPattern($0, limit: limit, isPrefix: isPrefix)
                    }
                    let expected = dictionary.filter { $0.starts(with: lead) }.compactMap { word in
                        word.dropFirst(lead.count).withUnsafeBytes { typos.cost(of: $0) }
                            .map { FoundWord(word: word, cost: $0) }
                    }
                    var walk = TypoWalk(typos, lead: lead)
                    #expect(walk.all(in: dictionary) == expected)
                }
            }
        }
    }

    @Test func walksEndWhenTheyAreTold() {
        let dictionary = ["a", "ab", "abc"].map { Array($0.utf8) }
        var walk = TypoWalk(
            Array("a".utf8).withUnsafeBytes { TypoPattern($0, limit: 0, isPrefix: true) })
        var count = 0
        walk.forEach(
            seek: { key in dictionary.first { !$0.lexicographicallyPrecedes(key) } },
            found: { _, _ in
                count += 1
                return count < 2
            })
        #expect(count == 2)
    }

    /// Of 100,000 words, a walk looks up few: seeks are what it costs.
    @Test func walksSeekSeldom() {
        var random = SeededRandom(seed: RunSetting.seed)
        let words = Set(
            (0..<100_000).map { _ in
                String(
                    (0..<3 + random.below(8)).map { _ in
                        Character(
                            UnicodeScalar(97 + UInt8(min(random.below(26), random.below(26)))))
                    })
            })
        let dictionary = words.map { Array($0.utf8) }.sorted { $0.lexicographicallyPrecedes($1) }
        for (limit, most) in [(1, 700), (2, 6000)] {
            for _ in 0..<20 {
                let word = dictionary[random.below(dictionary.count)]
                var walk = TypoWalk(
                    word.withUnsafeBytes { TypoPattern($0, limit: limit, isPrefix: false) })
                let found = walk.all(in: dictionary)
                #expect(found.contains { $0.word == word && $0.cost == 0 })
                #expect(
                    walk.seeks <= most, "\(String(decoding: word, as: UTF8.self)): \(walk.seeks)")
            }
        }
    }
}

struct FoundWord: Hashable {
    let word: [UInt8]
    let cost: Int
}

extension TypoWalk {
    /// All that is found in a sorted array.
    mutating func all(in dictionary: [[UInt8]]) -> [FoundWord] {
        var found: [FoundWord] = []
        forEach(
            seek: { key in
                var (low, high) = (0, dictionary.count)
                while low < high {
                    let middle = (low + high) / 2
                    if dictionary[middle].lexicographicallyPrecedes(key) {
                        low = middle + 1
                    } else {
                        high = middle
                    }
                }
                return low < dictionary.count ? dictionary[low] : nil
            },
            found: { word, cost in
                found.append(FoundWord(word: word, cost: cost))
                return true
            })
        return found
    }
}
