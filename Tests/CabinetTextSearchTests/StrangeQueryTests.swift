import Foundation
import Testing
import TrustSupport

@testable import CabinetTextSearch

/// Queries and texts of sizes and kinds that no person types.
@Suite("Searches: strange queries")
struct StrangeQueryTests {
    private func word(_ text: String) -> SearchExpression {
        .leaf(SearchLeaf(text: text, kind: .term))
    }

    @Test(arguments: ["\u{3000}", "\u{A0}", "\u{2003}", "\u{2028}", "\u{85}", "\t", "\r\n"])
    func whiteSpaceOfUnicodeSeparatesWords(_ space: String) throws {
        let query = try SearchQuery("a\(space)OR\(space)東京\(space)")
        #expect(query.expression == .any([word("a"), word("東京")]))
        let excluded = try SearchQuery("a\(space)-b")
        #expect(excluded.expression == .all([word("a"), .not(word("b"))]))
        #expect { try SearchQuery("a -\(space)b") } throws: {
            ($0 as? QuerySyntaxError)?.position == 3
        }
    }

    /// Each colon asked the whole word before it, once.
    @Test func aWordOfColonsIsReadOnce() throws {
        let text =
            String(repeating: "a", count: 50_000) + "!" + String(repeating: ":", count: 50_000)
        #expect(try SearchQuery(text).expression == word(text))
        #expect(try SearchQuery("title:a").expression == .field("title", position: 0, word("a")))
        #expect(try SearchQuery("5:30").expression == word("5:30"))
    }

    @Test(arguments: [("(", ")"), ("x:", ""), ("a OR (b ", ")")])
    func twoHundredLevelsAreEnough(_ open: String, _ close: String) throws {
        func nested(_ depth: Int) -> String {
            String(repeating: open, count: depth) + "a" + String(repeating: close, count: depth)
        }
        #expect(throws: Never.self) { try SearchQuery(nested(200)) }
        #expect { try SearchQuery(nested(201)) } throws: {
            ($0 as? QuerySyntaxError)?.reason == .tooDeep
        }
    }

    /// Words that are asked for several times are looked for, and marked, once.
    @Test(arguments: [Tokenizer.words, .substring])
    func equalWordsShareTheirPlaces(_ tokenizer: Tokenizer) throws {
        let text = String(repeating: "a ", count: 50_000)
        let field = SearchedField(name: "t", tokenizer: tokenizer)
        let query = try SearchQuery(String(repeating: "a ", count: 100))
        var matcher = SearchMatcher(CompiledSearch(query, [field]))
        let found = matcher.match([text])
        let match = try #require(found)
        #expect(match.frequencies.count == 100)
        #expect(match.frequencies.allSatisfy { $0 == [50_000] })
        #expect(match.ranges[0].count == 50_000)
        let counted = matcher.look(through: [text])
        #expect(counted?.found.ranges == [[]])
        #expect(counted?.found.frequencies == match.frequencies)
    }

    /// As a look at all places for each place finds it.
    @Test func aSnippetHasTheMostPlaces() throws {
        var random = SeededRandom(seed: RunSetting.seed)
        for _ in 0..<RunSetting.repetitions(300) {
            let letters = (0..<1 + random.below(200)).map { _ in random.once(in: 4) ? "x" : "ü" }
            let text = letters.joined()
            var found: [Range<String.Index>] = []
            for index in text.indices where text[index] == "x" {
                let end = text.index(after: index)
                if let last = found.last, last.upperBound == index {
                    found[found.count - 1] = last.lowerBound..<end
                } else {
                    found.append(index..<end)
                }
            }
            let length = 1 + random.below(60)
            let most = found.map { first in
                let limit =
                    text.index(first.lowerBound, offsetBy: length, limitedBy: text.endIndex)
                    ?? text.endIndex
                return found.count {
                    $0.lowerBound >= first.lowerBound && $0.upperBound <= limit
                }
            }
            let snippet = SearchSnippet(text, found, length: length)
            #expect(snippet.ranges.count >= most.max() ?? 0)
        }
    }

    @Test(arguments: [Int.min, 0, 1, 1_000_000, .max])
    func aSnippetOfAnyLengthTakesOnePass(_ length: Int) throws {
        let text = String(repeating: "blue sky ", count: 50_000)
        var found: [Range<String.Index>] = []
        var index = text.startIndex
        while index < text.endIndex {
            let end = text.index(index, offsetBy: 4)
            found.append(index..<end)
            index = text.index(end, offsetBy: 5)
        }
        let snippet = SearchSnippet(text, found, length: length)
        if length >= 1_000_000 {
            #expect(snippet.text == text)
            #expect(snippet.ranges.count == 50_000)
        } else {
            #expect(snippet.text.count <= 3)
        }
    }

    /// Ranges of a folded copy may lie behind the end of the text.
    @Test func rangesOfAnotherStringAreMovedIntoTheText() throws {
        let careless = Tokenizer.own(name: "careless", version: 1) { text, add in
            let folded = text.lowercased()
            add(folded, folded.startIndex..<folded.endIndex)
            add("nothing", folded.endIndex..<folded.endIndex)
        }
        let field = SearchedField(name: "t", tokenizer: careless)
        var matches = 0
        for text in ["İİ", "a", ""] {
            for wanted in [text.lowercased(), "nothing"] {
                let query = SearchQuery(typed: wanted)
                var matcher = SearchMatcher(CompiledSearch(query, [field]))
                guard let match = matcher.match([text]) else { continue }
                matches += 1
                let ranges = match.ranges(in: text, field: 0)
                #expect(ranges.allSatisfy { $0.upperBound <= text.endIndex && !$0.isEmpty })
                #expect(SearchSnippet(text, ranges, length: 10).text == text)
            }
        }
        // Both texts by their folded copies: no text has the other term twice.
        #expect(matches == 2)
    }
}
