import Testing
import TrustSupport

@testable import CabinetTextSearch

struct StemTests {
    @Test(arguments: [
        ("en", StemVectors.english), ("de", StemVectors.german), ("fr", StemVectors.french),
    ])
    func stemsAreThoseOfSnowball(_ language: String, _ vectors: String) {
        let tokenizer = Tokenizer.words(language: language, keepsDiacritics: true)
        let words = vectors.split(separator: " ").map(String.init)
        for index in stride(from: 0, to: words.count, by: 2) {
            #expect(
                tokenizer.terms(of: words[index], for: .query) == [words[index + 1]],
                "\(words[index])")
        }
    }

    @Test func accentsAreDroppedBehindTheStemming() {
        #expect(Tokenizer.words(language: "en").terms(of: "Cafés", for: .query) == ["cafe"])
        #expect(
            Tokenizer.words(language: "en", keepsDiacritics: true).terms(of: "Cafés", for: .query)
                == ["café"])
        #expect(
            Tokenizer.words(language: "de").terms(of: "HÄUSER Haeuser", for: .query) == [
                "haus", "haus",
            ])
    }

    @Test func wholeWordsAreTermsBesideStems() {
        let english = Tokenizer.words(language: "en", stopWords: ["the"])
        #expect(
            english.tokens(of: "The Cafés").map(\.description)
                == ["\u{1}cafes@1[4..<10]", "cafe@1[4..<10]"])
        #expect(english.terms(of: "The Cafés", for: .wholeWords) == ["\u{1}the", "\u{1}cafes"])
        #expect(Tokenizer.words.terms(of: "The Cafés", for: .wholeWords) == ["the", "cafes"])
    }

    @Test(arguments: Stemmer.allCases)
    func anyLettersAreStemmed(_ stemmer: Stemmer) {
        var random = SeededRandom(seed: RunSetting.seed)
        let letters = Array("aeiouystlngdrzmäüéжا'東".unicodeScalars)
        var memory: [UInt32] = []
        for _ in 0..<20_000 {
            var term = TermBuffer()
            defer { term.deallocate() }
            for _ in 0...random.below(9) {
                UTF8Decoding.append(letters[random.below(letters.count)].value, to: &term)
            }
            stemmer.stem(&term, &memory)
            #expect(term.count <= TermBuffer.limit)
        }
    }

    @Test func unknownLanguagesTrap() async {
        await #expect(processExitsWith: .failure) { _ = Tokenizer.words(language: "xx") }
    }
}
