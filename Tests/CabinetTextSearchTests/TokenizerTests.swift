import Testing
import TrustSupport

@testable import CabinetTextSearch

struct TokenizerTests {
    @Test func gramsAreOfThreeScalarsAndShorterAtTheEnd() {
        let grams = Tokenizer.substring
        #expect(
            grams.tokens(of: "Éab c").map(\.description)
                == ["eab@0[0..<4]", "ab @1[2..<5]", "b c@2[3..<6]", " c@3[4..<6]", "c@4[5..<6]"])
        #expect(grams.terms(of: "Éab c", for: .query) == ["eab", "ab ", "b c"])
        #expect(grams.terms(of: "ab") == ["ab", "b"])
        #expect(grams.terms(of: "ab", for: .query) == ["ab"])
        #expect(grams.terms(of: "b", for: .query) == ["b"])
        #expect(grams.terms(of: "") == [])
        #expect(grams.terms(of: "Straße", for: .query) == ["str", "tra", "ras", "ass", "sse"])
    }

    @Test func ownTokenizersGiveTheirTerms() {
        let own = Tokenizer.own(name: "commas", version: 3) { text, add in
            for part in text.split(separator: ",", omittingEmptySubsequences: false) {
                add(part.uppercased(), part.startIndex..<part.endIndex)
            }
            add(String(repeating: "é", count: 500), text.startIndex..<text.endIndex)
        }
        #expect(own.name == "own.commas")
        let tokens = own.tokens(of: "ab,,ö x")
        #expect(tokens.dropLast().map(\.description) == ["AB@0[0..<2]", "Ö X@1[4..<8]"])
        #expect(tokens.last?.term == String(repeating: "é", count: TermBuffer.limit / 2))
    }

    /// A text is found by each of its parts: the terms of the part, as a query, are among those of the
    /// text, at the same distances.
    @Test(arguments: [Tokenizer.words, .substring, .words(keepsDiacritics: true)])
    func partsOfTextsAreAmongTheirTerms(_ tokenizer: Tokenizer) {
        for text in ScriptSamples.words {
            let all = Set(tokenizer.tokens(of: text).map { [$0.term, "\($0.position)"] })
            for range in tokenizer.tokens(of: text).map(\.range) {
                let bytes = Array(text.utf8)[range]
                let query = tokenizer.tokens(of: Array(bytes), for: .query)
                let isFound = (0..<text.utf8.count).contains { start in
                    query.allSatisfy { all.contains([$0.term, "\($0.position + start)"]) }
                        || tokenizer == .substring && query.count == 1
                            && all.contains { $0[0].hasPrefix(query[0].term) }
                }
                #expect(isFound, "\(text): \(String(decoding: bytes, as: UTF8.self))")
            }
        }
    }

    @Test(arguments: [
        Tokenizer.words, .substring, .words(language: "en"), .words(language: "de"),
        .words(language: "fr"),
    ])
    func damagedTextIsTakenApartAsItsRepair(_ tokenizer: Tokenizer) {
        var random = SeededRandom(seed: RunSetting.seed)
        let pieces = ScriptSamples.words.map { Array($0.utf8) }
        for _ in 0..<500 {
            var bytes = pieces[random.below(pieces.count)]
            for _ in 0..<3 { bytes[random.below(bytes.count)] = UInt8(random.below(256)) }
            let repaired = String(decoding: bytes, as: UTF8.self)
            #expect(tokenizer.tokens(of: bytes).map(\.term) == tokenizer.terms(of: repaired))
            for token in tokenizer.tokens(of: bytes) {
                #expect(token.range.lowerBound < token.range.upperBound)
                #expect(token.range.upperBound <= bytes.count)
            }
        }
    }

    @Test func foldingIsTheSameForEquivalentTexts() {
        for text in ScriptSamples.words {
            let decomposed = text.unicodeScalars.flatMap { scalar in
                DecompositionTable.shared.decomposition(of: scalar.value) ?? [scalar.value]
            }
            let other = String(String.UnicodeScalarView(decomposed.compactMap(Unicode.Scalar.init)))
            for tokenizer in [Tokenizer.words, .words(keepsDiacritics: true), .substring] {
                #expect(tokenizer.terms(of: text) == tokenizer.terms(of: other), "\(text)")
            }
        }
    }

    @Test func fingerprintsTellTokenizersApart() {
        let all = [
            Tokenizer.words, .words(keepsDiacritics: true), .words(language: "en"),
            .words(language: "de"), .words(language: "fr"), .words(stopWords: ["a"]),
            .words(stopWords: ["b"]), .substring,
        ]
        #expect(Set(all).count == all.count)
        #expect(Set(all.map(\.fingerprint)).count == all.count)
        #expect(Tokenizer.words.fingerprint == Tokenizer.words().fingerprint)
        #expect(
            Tokenizer.words(language: "en", keepsDiacritics: true).name == "words.en.diacritics")
    }

    @Test func aMillionDistinctWordsAreTaken() {
        var text: [UInt8] = []
        for number in 0..<1_000_000 { text += Array(String(number, radix: 36).utf8) + [0x20] }
        var count = 0
        var end = 0
        var isOrdered = true
        text.withUnsafeBufferPointer { bytes in
            Tokenizer.words.forEachToken(in: bytes, TokenWorkspace()) { token in
                isOrdered = isOrdered && token.position == count && token.range.lowerBound >= end
                count += 1
                end = token.range.upperBound
            }
        }
        #expect(isOrdered && count == 1_000_000 && end == text.count - 1)
    }
}
