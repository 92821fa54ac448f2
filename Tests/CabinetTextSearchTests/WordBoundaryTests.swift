import Testing
import TrustSupport

@testable import CabinetTextSearch

struct WordBoundaryTests {
    /// Scalars of every class, so random texts meet every pair of rules.
    private static let alphabet: [Unicode.Scalar] = [
        "a", "B", "é", "ж", "ω", "ع", "ह", "א", "ב", "7", "0", "३", "_", "\u{203F}", " ", "-", "/",
        ".", "’", ":", "·", ",", ";", "\u{66C}", "'", "\"", "\u{301}", "\u{AD}", "\u{93F}",
        "\u{200D}",
        "\u{600}", "\u{66B}", "ʼ", "\u{5F3}", "\u{10400}",
    ]

    @Test func wordsAreThoseOfTheRules() {
        var random = SeededRandom(seed: RunSetting.seed)
        for _ in 0..<20_000 {
            let text = (0..<random.below(12)).map { _ in
                Self.alphabet[random.below(Self.alphabet.count)]
            }
            var offsets = [0]
            for scalar in text {
                offsets.append(offsets[offsets.count - 1] + Character(scalar).utf8.count)
            }
            let expected = WordBoundaryReference(text).words().map {
                offsets[$0.lowerBound]..<offsets[$0.upperBound]
            }
            let string = String(String.UnicodeScalarView(text))
            let found = Tokenizer.words.tokens(of: string, for: .query).map(\.range)
            #expect(found == expected, "\(text)")
        }
    }

    /// Of each class some scalars, by the annex's own table for Unicode 16.
    @Test(arguments: [
        (WordClass.letter, "aZªµĀΩжאʰ\u{2C2}\u{5F3}अᏣ\u{1D400}" as String), (.hebrew, "אתײשּׁ"),
        (.numeric, "0٣३\u{66B}\u{600}\u{1D7D8}"), (.connector, "_‿\u{202F}＿"),
        (.extend, "\u{301}\u{93F}\u{AD}\u{200D}\u{FE0F}\u{1F3FB}\u{3099}"),
        (.midLetter, ":·"), (.midNumber, ",;\u{60C}\u{FE10}\u{FE14}"), (.midBoth, ".’"),
        (.apostrophe, "'"),
        (.quote, "\""), (.unit, "東あア한กກကក々ー㋐㌔\u{11740}"), (.regional, "🇦"), (.pictograph, "😀⌚❤"),
        (.separator, " \n\u{85}\u{2028}-€+½\u{200B}\u{FFFD}"),
    ])
    func scalarsHaveTheirClass(_ wordClass: WordClass, _ text: String) {
        for scalar in text.unicodeScalars where wordClass != .letter || scalar != "א" {
            let found = WordClass.of(scalar.value)
            if scalar.value == 0x5C1 || scalar.value == 0x5BC { continue }
            #expect(found == wordClass, "\(scalar.value)")
        }
    }
}
