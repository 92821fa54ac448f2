import Foundation
import Testing
import TrustSupport

@testable import Cabinet
@testable import CabinetTextSearch

struct TextKeyTests {
    @Test(arguments: UInt64(1)...4)
    func unicodeIsTheOrderOfSwiftsStrings(_ seed: UInt64) throws {
        try expectOrder(TextSamples.texts(1500, seed: seed), seed: seed, pairs: 6000, by: <)
    }

    /// Each scalar alone, behind a letter and behind a mark: `==` is the running library's.
    @Test func equalTextsHaveEqualKeysForEveryDecomposition() throws {
        for (value, parts) in DecompositionTable.entries() {
            let scalar = try #require(Unicode.Scalar(value))
            var view = String.UnicodeScalarView()
            view.append(contentsOf: parts.compactMap { Unicode.Scalar($0) })
            for context in ["", "a\u{323}"] {
                for end in ["", "\u{327}", "\u{301}b"] {
                    let one = context + String(scalar) + end
                    let other = context + String(view) + end
                    #expect((OrderedKey(one) == OrderedKey(other)) == (one == other))
                }
            }
        }
    }

    /// The ranges that are copied as they are hold nothing that the running library changes.
    @Test func inertScalarsStayAsTheyAre() {
        for value in UInt32(0)...0x10FFFF where TextNormalizer.isInert(value) {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let isPlain =
                scalar.properties.canonicalCombiningClass == .notReordered
                && !scalar.properties.isFullCompositionExclusion
                && !DecompositionTable.shared.isSecond(value) && !HangulSyllable.isSecond(value)
            let isFolded = CaseFolding.folding(of: value) != [value]
            if !isPlain || (value >= 0x590 && isFolded) {
                Issue.record("\(String(value, radix: 16))")
            }
        }
    }

    @Test func binaryIsTheOrderOfUTF8() throws {
        let texts = TextSamples.texts(1500, seed: 9)
        let keys = texts.map { OrderedKey($0, collation: .binary) }
        var random = SeededRandom(seed: 10)
        for _ in 0..<10_000 {
            let (one, other) = (random.below(texts.count), random.below(texts.count))
            let expected = order(Array(texts[one].utf8), Array(texts[other].utf8)) {
                $0.lexicographicallyPrecedes($1)
            }
            #expect(byteOrder(keys[one], keys[other]) == expected)
        }
        for (text, key) in zip(texts, keys) {
            #expect(Array(try key.values(String.self).utf8) == Array(text.utf8))
        }
    }

    @Test func dataIsInTheOrderOfItsBytes() throws {
        var random = SeededRandom(seed: 11)
        var values = [Data(), Data([0]), Data([0, 0]), Data([0xFF]), Data([1]), Data([0, 0xFF])]
        for _ in 0..<1000 {
            let bytes = (0..<random.below(20)).map { _ in
                random.once(in: 2)
                    ? random.element(of: [0, 1, 2, 3, 0xFE, 0xFF]) : UInt8(random.below(256))
            }
            values.append(Data(bytes))
        }
        try expectOrder(values, pairs: 6000) { $0.lexicographicallyPrecedes($1) }
        #expect(OrderedKey(Data([0, 1, 2])).bytes == [0x2C, 1, 2, 1, 3, 2, 0])
    }

    @Test func otherValuesAreInOrder() throws {
        try expectOrder([false, true]) { !$0 && $1 }
        var random = SeededRandom(seed: 12)
        let uuids = (0..<300).map { index in
            withUnsafeBytes(of: (random.next() >> UInt64(index % 64), random.next())) { bytes in
                UUID(uuid: bytes.loadUnaligned(as: uuid_t.self))
            }
        }
        try expectOrder(uuids) { $0.uuidString < $1.uuidString }
    }
}
