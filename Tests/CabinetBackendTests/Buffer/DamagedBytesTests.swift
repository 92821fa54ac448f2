import CabinetBackend
import Testing
import TrustSupport

/// Bytes that are too few, or that stand for nothing: an error, and the position stays.
struct DamagedBytesTests {
    /// A way of reading, and bytes of which it needs every one.
    struct Reading: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let bytes: [UInt8]
        let read: @Sendable (DataBuffer) throws -> Void
    }

    static let readings = [
        Reading(testDescription: "UInt8", bytes: [1]) { _ = try $0.readUInt8() },
        Reading(testDescription: "Int8", bytes: [1]) { _ = try $0.readInt8() },
        Reading(testDescription: "Bool", bytes: [1]) { _ = try $0.readBool() },
        Reading(testDescription: "UInt16", bytes: [1, 2]) { _ = try $0.readUInt16() },
        Reading(testDescription: "Int16", bytes: [1, 2]) { _ = try $0.readInt16() },
        Reading(testDescription: "UInt32", bytes: [1, 2, 3, 4]) { _ = try $0.readUInt32() },
        Reading(testDescription: "Int32", bytes: [1, 2, 3, 4]) { _ = try $0.readInt32() },
        Reading(testDescription: "Float", bytes: [1, 2, 3, 4]) { _ = try $0.readFloat() },
        Reading(testDescription: "UInt64", bytes: .init(1...8)) { _ = try $0.readUInt64() },
        Reading(testDescription: "Int64", bytes: .init(1...8)) { _ = try $0.readInt64() },
        Reading(testDescription: "UInt", bytes: .init(1...8)) { _ = try $0.readUInt() },
        Reading(testDescription: "Int", bytes: .init(1...8)) { _ = try $0.readInt() },
        Reading(testDescription: "Double", bytes: .init(1...8)) { _ = try $0.readDouble() },
        Reading(testDescription: "UInt128", bytes: .init(1...16)) { _ = try $0.readUInt128() },
        Reading(testDescription: "Int128", bytes: .init(1...16)) { _ = try $0.readInt128() },
        Reading(testDescription: "String", bytes: [2, 0, 0, 0, 0x61, 0x62]) {
            _ = try $0.readString()
        },
        Reading(testDescription: "bytes", bytes: [2, 0, 0, 0, 1, 2]) { _ = try $0.readBytes() },
        Reading(testDescription: "skipping", bytes: [2, 0, 0, 0, 1, 2]) { try $0.skipCounted() },
        Reading(testDescription: "optional", bytes: [1, 1, 2, 3, 4]) {
            _ = try $0.readOptional(UInt32.self)
        },
        Reading(testDescription: "array", bytes: [2, 0, 0, 0, 1, 0, 0, 0, 0x61, 0, 0, 0, 0]) {
            _ = try $0.readArray(of: String.self)
        },
        Reading(testDescription: "set", bytes: [2, 0, 0, 0, 1, 2, 3, 4]) {
            _ = try $0.readSet(of: UInt16.self)
        },
        Reading(testDescription: "dictionary", bytes: [1, 0, 0, 0, 7, 1, 0, 0, 0, 0x61]) {
            _ = try $0.readDictionary(UInt8.self, String.self)
        },
    ]

    @Test(arguments: readings)
    func aShortReadThrowsAndDoesNotMove(_ reading: Reading) throws {
        try reading.read(DataBuffer(reading.bytes))
        for length in 0..<reading.bytes.count {
            let buffer = DataBuffer([0xEE] + reading.bytes.prefix(length))
            _ = try buffer.readUInt8()
            #expect(throws: DataBufferError.self) { try reading.read(buffer) }
            #expect(buffer.position == 1)
            #expect(buffer.remaining == length)
        }
    }

    @Test func aShortReadSaysWhatIsMissing() {
        #expect(throws: DataBufferError.truncated(needed: 4, remaining: 3)) {
            try DataBuffer([1, 2, 3]).readUInt32()
        }
        #expect(throws: DataBufferError.truncated(needed: 9, remaining: 6)) {
            try DataBuffer([5, 0, 0, 0, 1, 2]).readString()
        }
    }

    @Test(arguments: [2, 0x30, 0xFF] as [UInt8])
    func truthIsZeroOrOne(_ byte: UInt8) {
        let buffer = DataBuffer([byte])
        #expect(throws: DataBufferError.invalidValue(type: "Bool", offset: 0)) {
            try buffer.readBool()
        }
        #expect(throws: DataBufferError.invalidValue(type: "Bool", offset: 0)) {
            try buffer.readOptional(UInt8.self)
        }
        #expect(buffer.position == 0)
    }

    /// If the count were believed, each of these would ask for gigabytes first.
    @Test func impossibleCountsAllocateNothing() {
        let bytes: [UInt8] = [0xFF, 0xFF, 0xFF, 0xFF, 1, 2, 3]
        let wanted = DataBufferError.impossibleCount(count: .max, remaining: 3)
        let buffer = DataBuffer(bytes)
        #expect(throws: wanted) { try buffer.readArray(of: UInt8.self) }
        #expect(throws: wanted) { try buffer.readArray(of: String.self) }
        #expect(throws: wanted) { try buffer.readArray(of: [UInt64?].self) }
        #expect(throws: wanted) { try buffer.readSet(of: UInt8.self) }
        #expect(throws: wanted) { try buffer.readDictionary(String.self, UInt8.self) }
        #expect(buffer.position == 0)
        #expect(throws: DataBufferError.truncated(needed: 0x1_0000_0003, remaining: 7)) {
            try buffer.readBytes()
        }
    }

    @Test func aCountIsCheckedAgainstTheSmallestElement() throws {
        #expect(throws: DataBufferError.impossibleCount(count: 3, remaining: 8)) {
            try DataBuffer([3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]).readArray(of: String.self)
        }
        #expect(try DataBuffer([2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]).readArray() == ["", ""])
    }

    @Test(
        arguments: [
            [0x80], [0xBF], [0xC3], [0xE2, 0x82], [0xF0, 0x9F, 0x8E], [0xFF], [0xFE],
            // Overlong forms of '/', of U+0000, of U+07FF and of U+FFFF.
            [0xC0, 0xAF], [0xC0, 0x80], [0xE0, 0x9F, 0xBF], [0xF0, 0x8F, 0xBF, 0xBF],
            // Surrogates, and what lies beyond Unicode.
            [0xED, 0xA0, 0x80], [0xED, 0xBF, 0xBF], [0xF4, 0x90, 0x80, 0x80],
            [0xF5, 0x80, 0x80, 0x80],
            // Cut short so that the replacement character is exactly as long.
            [0xF0, 0x9F, 0x8E, 0x61], [0x61, 0xF0, 0x9F, 0x8E, 0x62], [0xF4, 0x8F, 0xBF],
            [0xE2, 0x28, 0xA1], [0xC3, 0x28],
        ] as [[UInt8]])
    func textThatIsNotUTF8IsRefused(_ text: [UInt8]) throws {
        // Short, long, and with ASCII around it: strings of 15 bytes and less are stored apart.
        for around in [0, 1, 7, 8, 15, 16, 40] {
            let filler = [UInt8](repeating: 0x61, count: around)
            let bytes = filler + text + filler
            let buffer = DataBuffer([0xEE])
            buffer.writeBytes(bytes)
            _ = try buffer.readUInt8()
            #expect(throws: DataBufferError.invalidUTF8(offset: 5)) { try buffer.readString() }
            #expect(buffer.position == 1)
            #expect(try buffer.readBytes() == bytes)
        }
    }

    @Test func bytesLeftOverAreAllowed() throws {
        let buffer = DataBuffer([1, 2, 3])
        #expect(try buffer.readUInt8() == 1)
        #expect(buffer.remaining == 2)
    }

    @Test func seededRandomBytesNeverCrashAReader() {
        var numbers = SeededRandom(seed: 11)
        for _ in 0..<3000 {
            let count = Int.random(in: 0...60, using: &numbers)
            let buffer = DataBuffer(
                (0..<count).map { _ in
                    Bool.random(using: &numbers) ? UInt8.random(in: 0...3, using: &numbers) : 0
                })
            for reading in Self.readings {
                let start = buffer.position
                do { try reading.read(buffer) } catch { #expect(buffer.position == start) }
            }
            #expect(buffer.position <= buffer.count)
        }
    }
}
