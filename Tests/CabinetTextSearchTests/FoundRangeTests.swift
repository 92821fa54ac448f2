import Foundation
import Testing
import TrustSupport

@testable import CabinetTextSearch

/// What is marked in texts are whole characters, wherever a term ends.
struct FoundRangeTests {
    private static let parts = [SearchedField(name: "t", tokenizer: .substring)]

    private func match(_ query: String, _ text: String) throws -> SearchMatch {
        var matcher = SearchMatcher(CompiledSearch(try SearchQuery(query), Self.parts))
        let match = matcher.match([text])
        return try #require(match, "\(query) in \(text)")
    }

    /// What `attributedText` marks is what `ranges` says.
    private func expectOneAnswer(_ snippet: SearchSnippet) {
        let text = snippet.attributedText
        let runs = text.runs[FoundTextAttribute.self].filter { $0.0 == true }
        #expect(
            runs.map { String(text.characters[$0.1]) }
                == snippet.ranges.map { String(snippet.text[$0]) }, "\(snippet.text)")
        #expect(String(text.characters) == snippet.text)
        let boundaries = Set(snippet.text.indices).union([snippet.text.endIndex])
        for range in snippet.ranges {
            #expect(boundaries.isSuperset(of: [range.lowerBound, range.upperBound]))
        }
    }

    @Test(arguments: [
        ("👧", "👩‍👩‍👧 x", ["👩‍👩‍👧"]), ("🇩🇪", "🇩🇪🇫🇷🇪🇸", ["🇩🇪"]), ("🇫🇷", "🇩🇪🇫🇷🇪🇸", ["🇫🇷"]),
        ("ก", "กี่ x", ["กี่"]), ("क", "कि x", ["कि"]), ("ि", "कि x", ["कि"]), ("x", "x\r\ny", ["x"]),
        ("\"x\r\"", "x\r\ny", ["x\r\n"]), ("\"\ny\"", "x\r\ny", ["\r\ny"]),
        ("e", "e\u{301}x", ["e\u{301}"]),
        ("e", "eel", ["ee"]), ("👍", "👍🏽!", ["👍🏽"]),
    ])
    func charactersAreWhole(_ query: String, _ text: String, _ marked: [String]) throws {
        let ranges = try match(query, text).ranges(in: text, field: 0)
        #expect(ranges.map { String(text[$0]) } == marked)
        let snippet = SearchSnippet(text, ranges, length: 100)
        expectOneAnswer(snippet)
        #expect(snippet.text.count == text.count)
    }

    /// Of each query, all characters are marked that have a byte of what was found, and no others.
    @Test func rangesAreThoseOfTheirCharacters() throws {
        var random = SeededRandom(seed: RunSetting.seed)
        let words =
            ScriptSamples.words + ["👩‍👩‍👧", "🇩🇪🇫🇷🇪🇸", "\r\n", "क्षत्रिय", "e\u{301}\u{323}", "\u{301}", "a"]
        for _ in 0..<RunSetting.repetitions(600) {
            let text = (0..<1 + random.below(4)).map { _ in words[random.below(words.count)] }
                .joined(separator: ["", " ", "\r\n", "\n"][random.below(4)])
            let scalars = Array(text.unicodeScalars)
            let start = random.below(scalars.count)
            let part = scalars[start...].prefix(1 + random.below(4))
            var matcher = SearchMatcher(
                CompiledSearch(
                    SearchQuery(typed: String(String.UnicodeScalarView(part))), Self.parts))
            guard let match = matcher.match([text]) else { continue }
            var expected: [Range<String.Index>] = []
            for index in text.indices {
                let next = text.index(after: index)
                let bytes =
                    text.utf8.distance(
                        from: text.startIndex, to: index)..<text.utf8.distance(
                        from: text.startIndex, to: next)
                guard match.ranges[0].contains(where: { $0.overlaps(bytes) }) else { continue }
                if let last = expected.last, last.upperBound == index {
                    expected[expected.count - 1] = last.lowerBound..<next
                } else {
                    expected.append(index..<next)
                }
            }
            let ranges = match.ranges(in: text, field: 0)
            #expect(ranges == expected, "\(part) in \(text)")
            expectOneAnswer(SearchSnippet(text, ranges, length: 1 + random.below(40)))
        }
    }

    /// Each place is looked up once, also in a text that is one character, or has no ASCII.
    @Test func longCharactersTakeTheirTimeOnce() throws {
        let joined = Array(repeating: "👩", count: 20_000).joined(separator: "\u{200D}")
        let flags = String(repeating: "🇩🇪", count: 20_000)
        let thai = String(repeating: "กี่ย", count: 20_000)
        for (query, text, count) in [("👩", joined, 1), ("🇩🇪", flags, 1), ("ย", thai, 20_000)] {
            #expect(try match(query, text).ranges(in: text, field: 0).count == count)
        }
    }
}
