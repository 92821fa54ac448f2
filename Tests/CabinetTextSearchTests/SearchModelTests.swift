import Testing
import TrustSupport

@testable import CabinetTextSearch

struct SearchModelTests {
    private static let vocabulary = [
        "blue", "train", "bl", "café", "Щелкунчик", "щел", "ΣΊΣΥΦΟΣ", "Σίσ", "العربية", "العر",
        "हिन्दी", "हि",
        "กรุง", "เทพ", "ก", "東京", "京都", "東", "カタカナ", "👩🏽‍🚀", "🇩🇪", "e-mail", "3.14", "—",
    ]

    /// Random queries over random texts in all scripts find what the reference finds.
    @Test func matchersAgreeWithTheReference() {
        var random = SeededRandom(seed: RunSetting.seed)
        let fields = [
            SearchedField(name: "a", tokenizer: .words),
            SearchedField(name: "b", tokenizer: .words(stopWords: ["train", "東"])),
        ]
        var found = 0
        for _ in 0..<RunSetting.repetitions(1500) {
            let texts = fields.map { _ in
                (0..<random.below(7)).map { _ in Self.word(&random) }
                    .joined(separator: random.once(in: 4) ? "" : " ")
            }
            for _ in 0..<4 {
                let text = Self.query(&random, depth: 0)
                guard let query = try? SearchQuery(text), let expression = query.expression else {
                    continue
                }
                var matcher = SearchMatcher(CompiledSearch(query, fields))
                let expected = SearchReference(fields, texts).finds(expression)
                let isFound = matcher.match(texts) != nil
                #expect(isFound == expected, "\(text) in \(texts)")
                found += expected ? 1 : 0
            }
        }
        #expect(found > RunSetting.repetitions(1500) / 15)
    }

    private static func word(_ random: inout SeededRandom) -> String {
        vocabulary[random.below(vocabulary.count)]
    }

    private static func query(_ random: inout SeededRandom, depth: Int) -> String {
        func part() -> String { query(&random, depth: depth + 1) }
        switch random.below(depth > 2 ? 8 : 14) {
        case 0: return "\"\(word(&random)) \(word(&random))\""
        case 1: return "\"\(word(&random)) \(word(&random))\"*"
        case 2: return word(&random) + "*"
        case 3: return "[[*\(word(&random))]]"
        case 4: return "[[*\(word(&random))*]]"
        case 5:
            let second = word(&random) + (random.once(in: 2) ? word(&random) : "")
            return "NEAR(\(word(&random)) \(second)*, \(random.below(4)))"
        case 6, 7: return word(&random)
        case 8: return "(\(part()) OR \(part()))"
        case 9: return "(\(part()) NOT (\(part())))"
        case 10: return "a:(\(part()))"
        case 11: return "b:\(word(&random))"
        default: return "\(part()) \(part())"
        }
    }
}
