import CabinetBackend
import Testing

/// The formats of the 2010 framework, against bytes written out by hand.
struct FormatTests {
    private struct Row<Value: BufferValue & Equatable> {
        let value: Value
        let bytes: [UInt8]

        func check() throws {
            let buffer = DataBuffer()
            value.write(to: buffer)
            #expect(buffer.bytes == bytes, "writing \(value)")
            #expect(try Value.read(from: buffer) == value, "reading \(value)")
            #expect(buffer.remaining == 0)
            #expect(bytes.count >= Value.minimumSize)
        }
    }

    @Test func unsignedIntegersAreLittleEndian() throws {
        try Row(value: UInt8(0xAB), bytes: [0xAB]).check()
        try Row(value: UInt16(0x0102), bytes: [2, 1]).check()
        try Row(value: UInt32(0x0102_0304), bytes: [4, 3, 2, 1]).check()
        try Row(value: UInt64(0x0102_0304_0506_0708), bytes: [8, 7, 6, 5, 4, 3, 2, 1]).check()
        try Row(value: UInt(258), bytes: [2, 1, 0, 0, 0, 0, 0, 0]).check()
        try Row(
            value: UInt128(0x0102_0304_0506_0708) << 64 | 0x1112_1314_1516_1718,
            bytes: [
                0x18, 0x17, 0x16, 0x15, 0x14, 0x13, 0x12, 0x11, 8, 7, 6, 5, 4, 3, 2, 1,
            ]
        ).check()
        try Row(value: UInt64.max, bytes: [UInt8](repeating: 255, count: 8)).check()
    }

    @Test func signedIntegersAreTwosComplement() throws {
        try Row(value: Int8(-2), bytes: [0xFE]).check()
        try Row(value: Int16(-2), bytes: [0xFE, 0xFF]).check()
        try Row(value: Int32.min, bytes: [0, 0, 0, 0x80]).check()
        try Row(value: Int64(-2), bytes: [0xFE] + [UInt8](repeating: 255, count: 7)).check()
        try Row(value: Int(-2), bytes: [0xFE] + [UInt8](repeating: 255, count: 7)).check()
        try Row(value: Int128(-2), bytes: [0xFE] + [UInt8](repeating: 255, count: 15)).check()
    }

    @Test func truthIsOneByte() throws {
        try Row(value: false, bytes: [0]).check()
        try Row(value: true, bytes: [1]).check()
    }

    @Test func floatsAreBigEndian() throws {
        try Row(value: Float(1), bytes: [0x3F, 0x80, 0, 0]).check()
        try Row(value: Float(-2.5), bytes: [0xC0, 0x20, 0, 0]).check()
        try Row(value: 1.0, bytes: [0x3F, 0xF0, 0, 0, 0, 0, 0, 0]).check()
        try Row(value: -0.1, bytes: [0xBF, 0xB9, 0x99, 0x99, 0x99, 0x99, 0x99, 0x9A]).check()
        try Row(value: Double.infinity, bytes: [0x7F, 0xF0, 0, 0, 0, 0, 0, 0]).check()
    }

    @Test func everyPatternOfBitsIsAFloat() throws {
        let signalling: [UInt8] = [0x7F, 0xF0, 0, 0, 0, 0, 0, 1]
        let value = try DataBuffer(signalling).readDouble()
        #expect(value.isNaN && DataBuffer.bytes { $0.writeDouble(value) } == signalling)
    }

    @Test func textIsCountedUTF8() throws {
        try Row(value: "", bytes: [0, 0, 0, 0]).check()
        try Row(value: "Hé", bytes: [3, 0, 0, 0, 0x48, 0xC3, 0xA9]).check()
        try Row(value: "🎵", bytes: [4, 0, 0, 0, 0xF0, 0x9F, 0x8E, 0xB5]).check()
        try Row(value: "a\0b", bytes: [3, 0, 0, 0, 0x61, 0, 0x62]).check()
        #expect(
            DataBuffer.bytes { $0.writeString(String(repeating: "x", count: 300)) }.prefix(5)
                == [0x2C, 1, 0, 0, 0x78])
    }

    @Test func textKeepsTheFormInWhichItWasWritten() throws {
        let decomposed = DataBuffer.bytes { $0.writeString("e\u{301}") }
        #expect(decomposed == [3, 0, 0, 0, 0x65, 0xCC, 0x81])
        #expect(try DataBuffer(decomposed).readString().unicodeScalars.count == 2)
    }

    @Test func replacementCharactersThatWereWrittenAreText() throws {
        try Row(value: "a\u{FFFD}b", bytes: [5, 0, 0, 0, 0x61, 0xEF, 0xBF, 0xBD, 0x62]).check()
    }

    @Test func bytesAreCounted() throws {
        let bytes = DataBuffer.bytes { $0.writeBytes([9, 8]) }
        #expect(bytes == [2, 0, 0, 0, 9, 8])
        #expect(try DataBuffer(bytes).readBytes() == [9, 8])
        #expect(DataBuffer.bytes { $0.writeBytes([]) } == [0, 0, 0, 0])
        #expect(try DataBuffer([0, 0, 0, 0]).readBytes() == [])
        let skipped = DataBuffer(bytes + [7])
        try skipped.skipCounted()
        #expect(try skipped.readUInt8() == 7)
    }

    @Test func anOptionalIsOneByteThenTheValue() throws {
        try Row(value: UInt16?.none, bytes: [0]).check()
        try Row(value: UInt16?(0x0102), bytes: [1, 2, 1]).check()
        try Row(value: String?(""), bytes: [1, 0, 0, 0, 0]).check()
        try Row(value: UInt8??.some(.none), bytes: [1, 0]).check()
    }

    @Test func collectionsAreCounted() throws {
        try Row(value: [UInt16](), bytes: [0, 0, 0, 0]).check()
        try Row(value: [UInt16(1), 0x0203], bytes: [2, 0, 0, 0, 1, 0, 3, 2]).check()
        try Row(
            value: [["a"], []], bytes: [2, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0x61, 0, 0, 0, 0]
        ).check()
        try Row(value: [UInt8?(5), UInt8?.none], bytes: [2, 0, 0, 0, 1, 5, 0]).check()
        try Row(value: Set([UInt8(7)]), bytes: [1, 0, 0, 0, 7]).check()
        try Row(value: [UInt8(7): "b"], bytes: [1, 0, 0, 0, 7, 1, 0, 0, 0, 0x62]).check()
    }

    @Test func whatIsReadTwiceIsKeptOnce() throws {
        #expect(try DataBuffer([2, 0, 0, 0, 7, 7]).readSet(of: UInt8.self) == [7])
        #expect(
            try DataBuffer([2, 0, 0, 0, 7, 1, 7, 2]).readDictionary(UInt8.self, UInt8.self)
                == [7: 2])
    }

    private enum Genre: UInt8, BufferValue {
        case jazz = 1
        case soul
    }

    @Test func anEnumIsItsRawValue() throws {
        try Row(value: Genre.soul, bytes: [2]).check()
        try Row(value: [Genre.jazz, .soul], bytes: [2, 0, 0, 0, 1, 2]).check()
        let buffer = DataBuffer([9, 3])
        #expect(try buffer.readUInt8() == 9)
        #expect(throws: DataBufferError.invalidValue(type: "Genre", offset: 1)) {
            try Genre.read(from: buffer)
        }
        #expect(throws: DataBufferError.invalidValue(type: "Genre", offset: 1)) {
            try buffer.readRawValue(Genre.self)
        }
        #expect(buffer.position == 1)
    }

    @Test func namedCallsWriteWhatTheValuesDo() throws {
        let bytes = DataBuffer.bytes { buffer in
            buffer.writeOptional(UInt8(1))
            buffer.writeArray([UInt8(2)])
            buffer.writeSet([UInt8(3)])
            buffer.writeDictionary([UInt8(4): true])
            buffer.writeRawValue(Genre.jazz)
        }
        #expect(bytes == [1, 1, 1, 0, 0, 0, 2, 1, 0, 0, 0, 3, 1, 0, 0, 0, 4, 1, 1])
        let buffer = DataBuffer(bytes)
        #expect(try buffer.readOptional(UInt8.self) == 1)
        #expect(try buffer.readArray(of: UInt8.self) == [2])
        #expect(try buffer.readSet(of: UInt8.self) == [3])
        #expect(try buffer.readDictionary(UInt8.self, Bool.self) == [4: true])
        #expect(try buffer.readRawValue(Genre.self) == .jazz)
    }
}
