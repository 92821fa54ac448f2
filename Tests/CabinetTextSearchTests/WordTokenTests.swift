import Testing

@testable import CabinetTextSearch

struct WordTokenTests {
    @Test(arguments: [
        ("Blue Train", ["blue", "train"]),
        (
            "Don't stop — 3.14, 1,000; a.b A:B 5:6",
            ["don't", "stop", "3.14", "1,000", "a.b", "a:b", "5", "6"]
        ),
        ("_a__1_ __ C++ e.g. U.S.A.", ["_a__1_", "c", "e.g", "u.s.a"]),
        ("Dvořák, Él niño; Straße ﬁn ŒUVRE", ["dvorak", "el", "nino", "strasse", "fin", "œuvre"]),
        ("İzmir ıssız l’été e\u{301}\u{302}t", ["izmir", "issiz", "l'ete", "et"]),
        ("Ёлка, мой Їжак", ["елка", "мои", "іжак"]),
        ("Σίσυφος ΣΊΣΥΦΟΣ ᾠδή", ["σισυφοσ", "σισυφοσ", "ωιδη"]),
        ("العَرَبِيَّة أم آه لـيـل ١٢٣", ["العربية", "ام", "اه", "ليل", "١٢٣"]),
        ("हिन्दी क़लम", ["हिन्दी", "कलम"]),
        ("שָׁלוֹם צ\"ל צ' א'5", ["שלום", "צ\"ל", "צ'", "א'", "5"]),
        ("👩🏽‍🚀 ❤️ 🎵🎶 rock🤘", ["👩🚀", "❤", "🎵", "🎶", "rock", "🤘"]),
        ("🇩🇪🇫🇷 1️⃣ ½ x²", ["🇩🇪", "🇫🇷", "1", "x"]),
        ("ＡＢｃ　１２", ["abc", "12"]),
        ("soft\u{AD}hyphen می\u{200C}خواهم", ["softhyphen", "میخواهم"]),
        ("a\u{200B}b \r\n\u{85}\u{301}c", ["a", "b", "c"]),
        ("", []), (" \t.,;'\"", []),
    ])
    func wordsAreFolded(_ text: String, _ terms: [String]) {
        #expect(Tokenizer.words.terms(of: text, for: .query) == terms)
        // The parts of joined words are terms, too, at the same positions.
        let tokens = Tokenizer.words.tokens(of: text)
        #expect(
            tokens.indices.filter { $0 == 0 || tokens[$0].position > tokens[$0 - 1].position }
                .map { tokens[$0].term } == terms)
    }

    @Test func aSwitchKeepsDiacritics() {
        let keeping = Tokenizer.words(keepsDiacritics: true)
        #expect(
            keeping.terms(of: "Dvořák E\u{301}t мой أم क़ 👩🏽")
                == ["dvořák", "ét", "мой", "أم", "क\u{93C}", "👩🏽"])
    }

    @Test func scriptsWithoutSpacesGiveLettersAndPairs() {
        let words = Tokenizer.words
        #expect(words.terms(of: "東京都") == ["東", "東京", "京", "京都", "都"])
        #expect(words.terms(of: "東京都", for: .query) == ["東京", "京都"])
        #expect(words.terms(of: "都", for: .query) == ["都"])
        #expect(words.terms(of: "カｶﾞか\u{3099}", for: .query) == ["カガ", "ガが"])
        #expect(words.terms(of: "서울 LG전자", for: .query) == ["서울", "lg", "전자"])
        #expect(words.terms(of: "น้ำ", for: .query) == ["น้", "้ำ"])
        #expect(
            words.tokens(of: "a東京b").map(\.description)
                == ["a@0[0..<1]", "東@1[1..<4]", "東京@1[1..<7]", "京@2[4..<7]", "b@3[7..<8]"])
    }

    @Test func stopWordsLeaveTheirPlaces() {
        let words = Tokenizer.words(stopWords: ["THE", "été"])
        #expect(
            words.tokens(of: "The Ete of the sea").map(\.description)
                == ["of@2[8..<10]", "sea@4[15..<18]"])
    }

    @Test func rangesCoverMarks() {
        #expect(
            Tokenizer.words.tokens(of: "xe\u{301} y").map(\.description)
                == ["xe@0[0..<4]", "y@1[5..<6]"])
    }

    @Test func damagedBytesSeparateWords() {
        let bytes: [UInt8] =
            Array("ab".utf8) + [0xFF] + Array("c".utf8) + [0xE2, 0x82] + [0x64, 0xC3]
        #expect(
            Tokenizer.words.tokens(of: bytes).map(\.description)
                == ["ab@0[0..<2]", "c@1[3..<4]", "d@2[6..<7]"])
    }

    @Test func longWordsAreCutAndTakeNoMemory() {
        for letter in ["a", "é", "東", "\u{301}", "😀\u{200D}", "а\u{301}"] {
            let text = String(repeating: letter, count: 1 << 20 / letter.utf8.count)
            var count = 0
            Tokenizer.words.forEachToken(in: text, TokenWorkspace()) { token in
                #expect(token.term.count <= TermBuffer.limit)
                count += 1
            }
            #expect(letter == "東" ? count > 1 : count == (letter == "\u{301}" ? 0 : 1))
        }
    }
}
