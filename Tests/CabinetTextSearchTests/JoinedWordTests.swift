import Foundation
import Testing
import TrustSupport

@testable import CabinetTextSearch

/// Words that apostrophes join are found as wholes and by their parts, in one position.
@Suite("Words joined by apostrophes")
struct JoinedWordTests {
    private static let apostrophes = ["'", "\u{2019}", "\u{2BC}", "\u{FF07}", "\u{2018}"]

    @Test func partsStandAtThePositionOfTheWhole() {
        #expect(
            Tokenizer.words.tokens(of: "le l’avion d'or").map(\.description) == [
                "le@0[0..<2]", "l'avion@1[3..<12]", "l@1[3..<12]", "avion@1[3..<12]",
                "d'or@2[13..<17]", "d@2[13..<17]", "or@2[13..<17]",
            ])
        #expect(
            Tokenizer.words.terms(of: "Rock'n'Roll 1'000 a'a'A 'x' o' ÉTÉ'été") == [
                "rock'n'roll", "rock", "n", "roll", "1'000", "1", "000", "a'a'a", "a", "x", "o",
                "ete'ete", "ete",
            ])
        #expect(Tokenizer.words.terms(of: "Rock'n'Roll", for: .query) == ["rock'n'roll"])
    }

    @Test(arguments: [
        ("en", "France's", ["\u{1}france", "franc"]), ("en", "it's", ["\u{1}it", "it"]),
        (
            "en", "o'clock's", ["\u{1}o'clock", "o'clock", "\u{1}o", "o", "\u{1}clock", "clock"]
        ),
        ("de", "Peter’s", ["\u{1}peter", "pet"]), ("de", "geht's", ["\u{1}geht", "geht"]),
        ("fr", "L’avion", ["\u{1}avion", "avion"]), ("fr", "l'été", ["\u{1}ete", "ete"]),
        ("fr", "jusqu'ici", ["\u{1}ici", "ici"]), ("fr", "qu’il", ["\u{1}il", "il"]),
        (
            "fr", "aujourd'hui",
            [
                "\u{1}aujourd'hui", "aujourd'hui", "\u{1}aujourd", "aujourd", "\u{1}hui", "hui",
            ]
        ),
    ]) func languagesKnowWhatLeansOnAWord(_ language: String, _ text: String, _ terms: [String]) {
        #expect(Tokenizer.words(language: language).terms(of: text) == terms)
    }

    /// It ends the word, whether it belongs to it or quotes it.
    @Test func wordsBeforeAnApostropheAreFoundInHebrew() {
        let text = "'שלום' א'7"
        #expect(Tokenizer.words.terms(of: text) == ["שלום'", "שלום", "א'", "א", "7"])
        #expect(Tokenizer.words.terms(of: text, for: .query) == ["שלום'", "א'", "7"])
    }

    @Test func lettersWithAnApostropheAreAsTwo() {
        let same = ["ŉ", "\u{2BC}n", "ŉ".uppercased()].map { Tokenizer.words.terms(of: $0) }
        #expect(Set(same) == [["'n"]])
    }

    @Test func stopWordsAreNoParts() {
        let words = Tokenizer.words(stopWords: ["don't", "l"])
        #expect(words.terms(of: "don't l'avion") == ["l'avion", "avion"])
        #expect(
            Tokenizer.words(language: "en", stopWords: ["it"]).tokens(of: "it's so")
                .map(\.description) == ["\u{1}so@1[5..<7]", "so@1[5..<7]"])
    }

    @Test func longWordsAreCut() {
        let text = String(repeating: "ab'", count: 100_000) + "cd"
        for tokenizer in [Tokenizer.words, .words(language: "fr")] {
            let tokens = tokenizer.tokens(of: text)
            #expect(tokens.count <= 8 && tokens.allSatisfy { $0.position == 0 })
            #expect(tokens.allSatisfy { $0.range == 0..<text.utf8.count })
        }
    }

    /// Random words joined and not: each part is found, each whole is, and phrases of parts are.
    @Test func partsAndWholesAreFound() throws {
        var random = SeededRandom(seed: RunSetting.seed)
        let parts = ["a", "rock", "roll", "été", "п", "ять", "l", "don", "t", "x1", "7", "ב"]
        func word() -> [String] {
            (0...random.below(4)).map { _ in parts[random.below(parts.count)] }
        }
        for _ in 0..<RunSetting.repetitions(300) {
            let words = (0..<1 + random.below(5)).map { _ in word() }
            let text = words.map { $0.joined(separator: Self.apostrophes[random.below(5)]) }
                .joined(separator: random.once(in: 3) ? ", " : " ")
            let tokens = Tokenizer.words.tokens(of: text)
            let terms = Set(tokens.map(\.term))
            #expect(Set(tokens.map { [$0.term, "\($0.position)"] }).count == tokens.count)
            for token in Tokenizer.words.tokens(of: text, for: .query) {
                #expect(tokens.contains(token), "\(token) of \(text)")
            }
            for part in words.joined() {
                let folded = Tokenizer.words.terms(of: part, for: .query)
                #expect(terms.isSuperset(of: folded), "\(part) of \(text)")
            }
            let choice = words.map { $0[random.below($0.count)] }
            // Digits and letters do not join, so their positions differ.
            if words.joined().contains(where: { $0.contains(where: \.isNumber) }) { continue }
            var matcher = SearchMatcher(
                CompiledSearch(
                    try SearchQuery("\"\(choice.joined(separator: " "))\""),
                    [SearchedField(name: "t", tokenizer: .words)]))
            let match = matcher.match([text])
            #expect(match != nil, "\(choice) in \(text)")
            #expect(match?.wordCounts == [words.count])
        }
    }
}
