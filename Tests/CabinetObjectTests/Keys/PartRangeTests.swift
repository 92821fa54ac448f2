import Cabinet
import Testing
import TrustSupport

@testable import CabinetTestModel

struct PartRangeTests {
    func contains(_ range: PartRange, _ key: OrderedKey, row: RowID = .max) -> Bool {
        let bytes = key.bytes(withRow: row)
        if let lower = range.keys.lower, bytes.lexicographicallyPrecedes(lower) { return false }
        if let upper = range.keys.upper { return bytes.lexicographicallyPrecedes(upper) }
        return true
    }

    func expect(
        _ range: PartRange, _ key: OrderedKey, _ expected: Bool,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        for row in [RowID(0), 2, 0xFF00_0000, .max] {
            #expect(
                contains(range, key, row: row) == expected, "\(key)", sourceLocation: sourceLocation
            )
        }
    }

    @Test func equalPartsLieInTheirRange() {
        let values = [nil, "", "a", "a\0", "ab", "b"]
        for one in values {
            for number in [-1, 0, 1, 256] {
                let range = PartRange(equalTo: OrderedKey(one))
                let both = PartRange(equalTo: OrderedKey(one, number))
                #expect(range.isExact)
                for other in values {
                    for second in [-1, 0, 1, 256] {
                        let key = OrderedKey(other, second)
                        expect(range, key, one == other)
                        expect(both, key, one == other && number == second)
                    }
                }
            }
        }
        #expect(PartRange(equalTo: OrderedKey()).keys == .everything)
    }

    @Test func boundsAreKept() {
        let numbers = [Int.min, -257, -256, -1, 0, 1, 255, 256, .max]
        for prefix in [nil, "x"] {
            let key = OrderedKey(prefix)
            for one in numbers {
                for other in numbers {
                    let ranges: [(PartRange, (Int) -> Bool)] = [
                        (
                            PartRange(of: key, from: .including(one), to: .including(other)),
                            { one <= $0 && $0 <= other }
                        ),
                        (
                            PartRange(of: key, from: .excluding(one), to: .including(other)),
                            { one < $0 && $0 <= other }
                        ),
                        (
                            PartRange(of: key, from: .including(one), to: .excluding(other)),
                            { one <= $0 && $0 < other }
                        ),
                        (
                            PartRange(of: key, from: .excluding(one), to: .excluding(other)),
                            { one < $0 && $0 < other }
                        ),
                        (PartRange(of: key, from: .excluding(one), to: nil), { one < $0 }),
                        (PartRange(of: key, from: nil, to: .excluding(other)), { $0 < other }),
                    ]
                    for (range, isIn) in ranges {
                        #expect(range.isExact)
                        for number in numbers {
                            expect(range, OrderedKey(prefix, number, "end"), isIn(number))
                        }
                        expect(range, OrderedKey("y", one), false)
                    }
                }
            }
        }
    }

    @Test func nilLiesInARangeIfAskedFor() {
        let none = OrderedKey("a", Int?.none)
        let some = OrderedKey("a", Int?.some(-5))
        for includesNil in [false, true] {
            let range = PartRange(
                of: OrderedKey("a"), from: nil, to: .including(Int?.some(0)),
                includesNil: includesNil)
            expect(range, none, includesNil)
            expect(range, some, true)
            let open = PartRange(
                of: OrderedKey("a"), from: PartBound<Int>?.none, to: nil, includesNil: includesNil)
            expect(open, none, includesNil)
            expect(open, some, true)
            expect(open, OrderedKey("b", Int?.none), false)
        }
        let numbers = PartRange(from: .including(1.0), to: .including(.infinity))
        expect(numbers, OrderedKey(Double.nan), false)
        expect(numbers, OrderedKey(Double.infinity), true)
    }

    @Test func boundsThatAreCutLetTheirValueIn() {
        let long = String(repeating: "x", count: 1500)
        let keys = [OrderedKey(long), OrderedKey(long + "a"), OrderedKey(long + "b")]
        for bound in [PartBound.including(long), .excluding(long)] {
            for range in [PartRange(from: bound, to: nil), PartRange(from: nil, to: bound)] {
                #expect(!range.isExact)
                for key in keys { expect(range, key, true) }
            }
        }
        let equal = PartRange(equalTo: OrderedKey(long))
        #expect(!equal.isExact)
        expect(equal, OrderedKey(String(long.dropLast(500))), false)
        for key in keys { expect(equal, key, true) }
        let behind = PartRange(of: keys[0], from: .including(1), to: nil)
        #expect(!behind.isExact)
        expect(behind, keys[1], true)
    }

    @Test(arguments: RunSetting.seeds(4))
    func textsThatStartWithAPrefixLieInItsRange(_ seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let texts = TextSamples.texts(600, seed: seed)
        let own = Collation(name: "own", version: 1, keepsPrefixes: true) { Array($0.utf8) }
        let keys = Collation.builtIn.map { collation in
            texts.map { OrderedKey($0, collation: collation) }
        }
        for _ in 0..<RunSetting.repetitions(300) {
            let whole = random.element(of: texts)
            let prefix = String(whole.prefix(random.below(5)))
            let startsByCharacters = texts.map { $0.starts(with: prefix) }
            for (collation, keys) in zip(Collation.builtIn, keys) {
                let range = try #require(PartRange(startingWith: prefix, collation: collation))
                #expect(range.isExact == (collation == .binary))
                for (index, text) in texts.enumerated() {
                    let found = contains(range, keys[index])
                    let starts =
                        collation == .binary
                        ? text.utf8.starts(with: prefix.utf8) : startsByCharacters[index]
                    // Only ranges that are exact leave all others out.
                    if starts || range.isExact {
                        #expect(found == starts, "\(prefix) \(text) \(collation)")
                    }
                }
            }
        }
        #expect(PartRange(startingWith: "a", collation: own) != nil)
        #expect(
            PartRange(startingWith: "a", collation: Collation(name: "o", version: 1) { _ in [] })
                == nil)
    }

    @Test func aPrefixWithoutCaseFindsEachCase() throws {
        let range = try #require(PartRange(startingWith: "STRA", collation: .caseInsensitive))
        expect(range, OrderedKey("straße", collation: .caseInsensitive), true)
        expect(range, OrderedKey("stro", collation: .caseInsensitive), false)
        let track = try #require(PartRange(startingWith: "Track 1", collation: .numeric))
        expect(track, OrderedKey("Track 10", collation: .numeric), true)
        expect(track, OrderedKey("Trick", collation: .numeric), false)
        // Zeros before a number stand behind the whole text.
        let zeros = try #require(PartRange(startingWith: "01 b", collation: .numeric))
        expect(zeros, OrderedKey("01 bc", collation: .numeric), true)
    }

    @Test func rangesOfTextsUseTheirCollation() {
        let range = PartRange(
            from: .including("b"), to: .excluding("D"), collation: .caseInsensitive)
        for (text, isIn) in [("A", false), ("B", true), ("c", true), ("CZ", true), ("d", false)] {
            expect(range, OrderedKey(text, collation: .caseInsensitive), isIn)
        }
    }
}
