import CabinetBackend
import Testing

@testable import Cabinet

/// Comparing values by the bytes that records have of them.
struct FieldOrderTests {
    private func bytes(_ body: (DataBuffer) -> Void) -> [UInt8] {
        let buffer = DataBuffer()
        body(buffer)
        return [UInt8](buffer.memory)
    }

    private func areSame(_ type: FieldType, _ one: [UInt8], _ other: [UInt8]) -> Bool {
        one.withUnsafeBytes { one in other.withUnsafeBytes { type.areSame(one, $0) } }
    }

    private func texts(_ texts: [String]) -> [UInt8] {
        bytes { buffer in
            buffer.writeUInt32(UInt32(texts.count))
            for text in texts { buffer.writeString(text) }
        }
    }

    @Test func elementsOfASetMayComeInAnyOrderThoseOfAnArrayNot() {
        let (one, other) = (texts(["a", "bc"]), texts(["bc", "a"]))
        #expect(areSame(.set(.scalar(.string)), one, other))
        #expect(!areSame(.array(.scalar(.string)), one, other))
        #expect(areSame(.array(.scalar(.string)), one, one))
        #expect(!areSame(.set(.scalar(.string)), one, texts(["bc", "b"])))
        #expect(areSame(.optional(.set(.scalar(.string))), [1] + one, [1] + other))
        #expect(!areSame(.optional(.set(.scalar(.string))), [1] + one, [0]))
    }

    @Test func boundsOfNestedArraysCount() {
        let one = bytes { $0.writeUInt32(2) } + texts(["a", "b"]) + texts(["c"])
        let other = bytes { $0.writeUInt32(2) } + texts(["a"]) + texts(["b", "c"])
        #expect(!areSame(.set(.array(.scalar(.string))), one, other))
        let turned = bytes { $0.writeUInt32(2) } + texts(["c"]) + texts(["a", "b"])
        #expect(areSame(.set(.array(.scalar(.string))), one, turned))
    }

    @Test func keysOfADictionaryKeepTheirValues() {
        func entries(_ pairs: [(String, UInt8)]) -> [UInt8] {
            bytes { buffer in
                buffer.writeUInt32(UInt32(pairs.count))
                for (key, value) in pairs {
                    buffer.writeString(key)
                    buffer.writeUInt8(value)
                }
            }
        }
        let type = FieldType.dictionary(.scalar(.string), .scalar(.uint8))
        #expect(areSame(type, entries([("a", 1), ("b", 2)]), entries([("b", 2), ("a", 1)])))
        #expect(!areSame(type, entries([("a", 1), ("b", 2)]), entries([("a", 2), ("b", 1)])))
    }

    @Test func whatCannotBeReadIsNotTheSame() {
        #expect(!areSame(.set(.scalar(.string)), [9, 0, 0, 0], [8, 0, 0, 0]))
        #expect(!areSame(.optional(.set(.scalar(.string))), [], [1]))
    }
}
