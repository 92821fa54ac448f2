import Testing
import TrustSupport

@testable import Cabinet
@testable import CabinetTestModel

struct CollationKeyTests {
    func key(_ text: String, _ collation: Collation) -> OrderedKey {
        OrderedKey(text, collation: collation)
    }

    @Test(arguments: Collation.builtIn)
    func textsThatSwiftCallsEqualHaveEqualKeys(_ collation: Collation) {
        guard collation != .binary else { return }
        for one in TextSamples.nasty {
            for other in TextSamples.nasty where one == other {
                #expect(key(one, collation) == key(other, collation))
            }
        }
    }

    @Test func caseIsFoldedAsDocumented() {
        let groups = [
            ["Straße", "STRASSE", "strasse", "Straẞe"], ["Σίσυφος", "ΣΊΣΥΦΟΣ", "σίσυφοσ"],
            ["É", "é", "E\u{301}", "e\u{301}"], ["K", "k", "\u{212A}"], ["ǅ", "Ǆ", "ǆ"],
            ["ﬃ", "FFI", "ffi"],
            ["ı", "i", "I"], ["İ", "i\u{307}"], ["ᾴ", "α\u{345}\u{301}", "ΆΙ"], ["ᏣᎳᎩ", "ꮳꮃꭹ"],
            ["A\0", "a\0"],
        ]
        for (index, group) in groups.enumerated() {
            for text in group {
                #expect(key(text, .caseInsensitive) == key(group[0], .caseInsensitive), "\(text)")
            }
            for other in groups[..<index] {
                #expect(key(group[0], .caseInsensitive) != key(other[0], .caseInsensitive))
            }
        }
        #expect(key("a", .caseInsensitive) < key("B", .caseInsensitive))
    }

    /// Texts without case compare as Swift's own.
    @Test func foldedTextsAreInTheOrderOfTheirFoldedForms() {
        var random = SeededRandom(seed: 20)
        let texts = TextSamples.texts(500, seed: 21)
        let folded = texts.map { text in
            var view = String.UnicodeScalarView()
            // `uppercased()` and `lowercased()` of texts of one scalar know no context.
            for scalar in Self.normalized(text).unicodeScalars {
                let lower = String(scalar).lowercased().unicodeScalars
                let upper = lower.flatMap { Array(String($0).uppercased().unicodeScalars) }
                for scalar in upper {
                    view.append(contentsOf: String(scalar).lowercased().unicodeScalars)
                }
            }
            return String(view)
        }
        for _ in 0..<4000 {
            let (one, other) = (random.below(texts.count), random.below(texts.count))
            #expect(
                byteOrder(key(texts[one], .caseInsensitive), key(texts[other], .caseInsensitive))
                    == order(folded[one], folded[other], by: <))
        }
    }

    /// The form C, read back from a key: it is equal, and other tests show its order.
    static func normalized(_ text: String) -> String {
        (try? OrderedKey(text).values(String.self)) ?? text
    }

    @Test func digitsAloneCount() {
        #expect(key("+49 (30) 1", .digitsOnly) == key("49301", .digitsOnly))
        #expect(key("٤٩३०１", .digitsOnly) == key("49301", .digitsOnly))
        #expect(key("none", .digitsOnly) == key("", .digitsOnly))
        #expect(key("²½Ⅳ", .digitsOnly) == key("", .digitsOnly))
        #expect(key("1-2", .digitsOnly) < key("123", .digitsOnly))
        #expect(key("123", .digitsOnly) < key("2", .digitsOnly))
    }

    /// Runs of digits as numbers without leading zeros; then how many zeros they had.
    enum Piece: Comparable {
        case scalar(UInt32)
        case number(count: Int, digits: [UInt32])

        private var rank: UInt32 {
            if case .scalar(let value) = self { value } else { 0x30 }
        }
        static func < (one: Piece, other: Piece) -> Bool {
            if case .number(let count, let digits) = one, case .number(let others, let more) = other
            {
                return count != others ? count < others : digits.lexicographicallyPrecedes(more)
            }
            return one.rank < other.rank
        }
    }

    func pieces(_ text: String) -> (pieces: [Piece], zeros: [Int]) {
        var pieces: [Piece] = []
        var zeros: [Int] = []
        var rest = Array(Self.normalized(text).unicodeScalars.map(\.value))[...]
        while let first = rest.first {
            guard 0x30...0x39 ~= first else {
                pieces.append(.scalar(first))
                rest.removeFirst()
                continue
            }
            let run = Array(rest.prefix { 0x30...0x39 ~= $0 })
            rest = rest.dropFirst(run.count)
            let digits = Array(run.drop { $0 == 0x30 })
            pieces.append(.number(count: digits.count, digits: digits))
            zeros.append(run.count - digits.count - (digits.isEmpty ? 1 : 0))
        }
        return (pieces, zeros)
    }

    @Test(arguments: RunSetting.seeds(4))
    func numbersInTextsCompareByValue(_ seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var texts = TextSamples.texts(1000, seed: seed)
        for _ in 0..<300 {
            let digits = String(repeating: "0", count: random.below(4)) + "\(random.below(120))"
            texts.append(
                random.element(of: ["Track ", "", "x"]) + digits
                    + random.element(of: ["", "a", " 01"]))
            texts.append(String(repeating: "1", count: 245 + random.below(20)))
        }
        for _ in 0..<4000 {
            let one = random.element(of: texts)
            let other = random.element(of: texts)
            let (left, right) = (pieces(one), pieces(other))
            var expected = order(left.pieces, right.pieces) { $0.lexicographicallyPrecedes($1) }
            if expected == 0 {
                expected = order(left.zeros, right.zeros) { $0.lexicographicallyPrecedes($1) }
            }
            #expect(
                byteOrder(key(one, .numeric), key(other, .numeric)) == expected, "\(one) \(other)")
            #expect((expected == 0) == (one == other))
        }
    }

    @Test func tracksAreInTheOrderOfTheirNumbers() {
        let texts = [
            "Track 0", "Track 00", "Track 1", "Track 01", "Track 1 b", "Track 9", "Track 10",
            "Track x",
        ]
        let keys = texts.map { key($0, .numeric) }
        #expect(keys == keys.sorted() && Set(keys).count == keys.count)
    }

    @Test func nilComesFirstUnderEachCollation() {
        for collation in Collation.builtIn {
            var builder = OrderedKeyBuilder()
            builder.append(nil, collation: collation)
            #expect(builder.key < key("", collation))
        }
    }

    @Test func aCollationOfOnesOwnIsInTheOrderOfItsBytes() {
        let backwards = Collation(name: "backwards", version: 2) { Array($0.utf8.reversed()) }
        #expect(key("ab", backwards) > key("ba", backwards))
        #expect(key("\0", backwards) > key("", backwards))
        #expect(backwards.description == "backwards 2")
        #expect(backwards != Collation(name: "backwards", version: 3) { _ in [] })
        #expect(
            backwards.fingerprint
                != Collation(name: "backwards", version: 2) { _ in [] }.fingerprint)
        #expect(Set(Collation.builtIn.map(\.fingerprint)).count == Collation.builtIn.count)
        #expect(Collation.unicode.fingerprint == Collation.unicode.fingerprint)
    }

    @Test func theNameOfABuiltInCollationIsTaken() async {
        await #expect(processExitsWith: .failure) {
            _ = Collation(name: "numeric", version: 1) { Array($0.utf8) }
        }
    }
}
