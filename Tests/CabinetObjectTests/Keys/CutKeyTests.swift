import Cabinet
import Foundation
import Testing
import TrustSupport

struct CutKeyTests {
    /// Data whose keys end near the limit, with equal beginnings and bytes that are escaped.
    func values(seed: UInt64) -> [Data] {
        var random = SeededRandom(seed: seed)
        let common = (0..<1100).map { _ in
            random.once(in: 40) ? random.element(of: [0, 1]) : UInt8(2 + random.below(254))
        }
        return (0..<400).map { _ in
            let length = random.once(in: 4) ? random.below(3000) : 930 + random.below(100)
            var bytes = Array(common.prefix(length))
            while bytes.count < length { bytes.append(UInt8(random.below(256))) }
            if random.once(in: 2), !bytes.isEmpty {
                bytes[bytes.count - 1 - random.below(min(bytes.count, 40))] =
                    random.element(of: [0, 1, 2, 0xFF])
            }
            return Data(bytes)
        }
    }

    @Test(arguments: RunSetting.seeds(8))
    func cutKeysStayInOrder(_ seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let values = values(seed: seed)
        let tuples = values.map { ($0, random.below(3), random.once(in: 2) ? "x" : nil) }
        let keys = tuples.map { OrderedKey($0.0, $0.1, $0.2) }
        #expect(keys.contains { $0.isCut } && keys.contains { !$0.isCut })
        #expect(keys.allSatisfy { $0.bytes.count <= 1020 && $0.bytes(withRow: .max).count <= 1024 })
        // Neighbours in the order of the values stand for all pairs, as both orders are transitive.
        let sorted = tuples.indices.sorted { expectedOrder(tuples[$0], tuples[$1]) < 0 }
        for (one, other) in zip(sorted, sorted.dropFirst()) {
            let expected = expectedOrder(tuples[one], tuples[other])
            let found = byteOrder(keys[one], keys[other])
            if found == expected { continue }
            // Only two cut keys may be equal for different values.
            #expect(found == 0 && keys[one].isCut && keys[other].isCut)
        }
    }

    typealias Tuple = (Data, Int, String?)

    func expectedOrder(_ one: Tuple, _ other: Tuple) -> Int {
        let first = order(one.0, other.0) { $0.lexicographicallyPrecedes($1) }
        if first != 0 { return first }
        if one.1 != other.1 { return order(one.1, other.1, by: <) }
        return order(one.2 ?? "", other.2 ?? "", by: <)
    }

    @Test(arguments: Collation.builtIn)
    func longTextsStayInOrderUnderEachCollation(_ collation: Collation) {
        let pieces = ["a", "Z", "7", "0", "é", "漢", "e\u{301}", "\0", "😀", "ß", " "]
        var random = SeededRandom(seed: RunSetting.seed)
        for _ in 0..<RunSetting.repetitions(60) {
            let begin = (0..<(200 + random.below(1400))).map { _ in random.element(of: pieces) }
                .joined()
            let keys = ["", "a", "b", "0", "9", "\0", "é"].map { end in
                OrderedKey(begin + end, collation: collation)
            }
            let ends = ["", "a", "b", "0", "9", "\0", "é"].map { end in
                OrderedKey(begin.suffix(3) + end, collation: collation)
            }
            let other = OrderedKey("b" + begin, collation: collation)
            for (index, key) in keys.enumerated() {
                #expect(key.bytes.count <= 1020)
                // The same beginning, so the end decides, or both are cut before it.
                for second in keys.indices where !key.isCut && !keys[second].isCut {
                    guard collation == .binary || collation == .unicode else { continue }
                    #expect(
                        byteOrder(key, keys[second]) == byteOrder(ends[index], ends[second]))
                }
                if key.isCut {
                    #expect(keys.allSatisfy { $0.isCut == false || $0 == key || $0 != other })
                }
            }
        }
    }

    /// The whole text decides, although only a part of it is looked at.
    @Test func theBeginningOfALongTextIsItsKey() {
        for piece in [
            "a", "é", "e\u{301}", "漢", "q\u{307}\u{323}", "각", "\u{1100}\u{1161}", "İ", "ß", "07x",
        ] {
            for collation in Collation.builtIn {
                let long = String(repeating: piece, count: 3000)
                let shorter = String(repeating: piece, count: 2500)
                let key = OrderedKey(long, collation: collation)
                #expect(key == OrderedKey(shorter, collation: collation))
                #expect(key.isCut || collation == .digitsOnly)
            }
        }
    }

    @Test func aCutKeySaysWhereItsValuesEnd() throws {
        let key = OrderedKey(7, String(repeating: "x", count: 2000), 8)
        #expect(key.isCut && key.bytes.count == 1020 && key.bytes.last == 0xFF)
        #expect(throws: OrderedKeyError.cut) { try key.values(Int.self, String.self, Int.self) }
        let first = try key.bytes.withUnsafeBytes { bytes in
            var reader = OrderedKeyReader(bytes)
            return try reader.read(Int.self)
        }
        #expect(first == 7)
        let whole = OrderedKey(String(repeating: "x", count: OrderedKey.longestWhole - 2))
        #expect(!whole.isCut && whole.bytes.count == OrderedKey.longestWhole)
        #expect(OrderedKey(String(repeating: "x", count: OrderedKey.longestWhole - 1)).isCut)
        var builder = OrderedKeyBuilder()
        builder.append(1)
        let size = builder.size
        builder.append(String(repeating: "y", count: 5000))
        #expect(builder.isCut && builder.size == 1020)
        builder.removeParts(after: size)
        builder.append(2)
        #expect(builder.key == OrderedKey(1, 2))
    }
}
