import Testing
import TrustSupport

@testable import CabinetTextSearch

/// A part is counted in a text in ASCII as a look at its folded scalars counts it.
@Suite("Parts of texts in ASCII")
struct ASCIIPartTests {
    private func text(_ random: inout SeededRandom, _ letters: String, upTo count: Int) -> String {
        String(
            (0..<random.below(count + 1)).compactMap { _ in letters.randomElement(using: &random) })
    }

    @Test("counts are those of a look at the scalars", arguments: 1...4)
    func counts(seed: Int) throws {
        var random = SeededRandom(seed: UInt64(seed))
        var compared = 0
        for _ in 0..<2000 {
            // A query must have a word within its brackets.
            let query = text(&random, "aAb", upTo: 4) + (random.once(in: 2) ? "a" : "B")
            let search = CompiledSearch(
                try SearchQuery("[[*\(query)*]]"),
                [SearchedField(name: "code", tokenizer: .substring)])
            guard search.leaves.count == 1, let part = ASCIIPart(search.leaves[0].patterns[0])
            else { continue }
            var matcher = SearchMatcher(search)
            var own = text(&random, "aAaAbB c@[`{", upTo: 60)
            let looked = matcher.look(through: [own])
            let found = try #require(looked).found
            let counted = own.withUTF8 { part.count(in: $0) }
            #expect(counted?.frequency == found.frequencies[0][0], "'\(query)' in '\(own)'")
            #expect(counted?.length == found.wordCounts[0], "'\(query)' in '\(own)'")
            compared += found.frequencies[0][0]
        }
        #expect(compared > 100)
    }

    @Test("other parts and texts are left to a look at the scalars")
    func others() throws {
        func part(_ text: String, _ tokenizer: Tokenizer = .substring) throws -> ASCIIPart? {
            let search = CompiledSearch(
                try SearchQuery("[[*\(text)*]]"),
                [SearchedField(name: "code", tokenizer: tokenizer)])
            return ASCIIPart(search.leaves[0].patterns[0])
        }
        #expect(try part("ab") == nil)
        #expect(try part("жуки") == nil)
        #expect(try part("rain", .words) == nil)
        let rain = try #require(try part("rain"))
        var (short, accented) = ("Rainy", "Rainé")
        let one = short.withUTF8 { rain.count(in: $0)?.frequency }
        #expect(one == 1)
        let none = accented.withUTF8 { rain.count(in: $0)?.frequency }
        #expect(none == nil)
        var long = String(repeating: "rain", count: ASCIIPart.longestText / 4)
        let many = long.withUTF8 { rain.count(in: $0)?.frequency }
        #expect(many == ASCIIPart.longestText / 4)
        long += "s"
        let tooLong = long.withUTF8 { rain.count(in: $0)?.frequency }
        #expect(tooLong == nil)
    }
}
