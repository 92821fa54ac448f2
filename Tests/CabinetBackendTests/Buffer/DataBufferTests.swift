import CabinetBackend
import Testing

struct DataBufferTests {
    @Test func growingKeepsWhatWasWritten() throws {
        let buffer = DataBuffer(capacity: 1)
        for number in 0..<10_000 as Range<UInt32> { buffer.writeUInt32(number) }
        #expect(buffer.count == 40_000)
        for number in 0..<10_000 as Range<UInt32> { #expect(try buffer.readUInt32() == number) }
    }

    @Test func rewindingReadsAgain() throws {
        let buffer = DataBuffer([5, 6])
        #expect(try buffer.readUInt8() == 5)
        buffer.rewind()
        #expect(try buffer.readUInt8() == 5)
    }

    @Test func emptyingForgetsContentAndTrouble() {
        let buffer = DataBuffer([1, 2, 3])
        buffer.fail(DataBufferError.tooLarge(limit: 1))
        buffer.versionOfData = 7
        buffer.removeAll()
        #expect(buffer.count == 0 && buffer.remaining == 0 && buffer.writeError == nil)
        #expect(buffer.versionOfData == 0)
    }

    @Test func theFirstTroubleIsKept() {
        let buffer = DataBuffer()
        buffer.fail(DataBufferError.tooLarge(limit: 1))
        buffer.fail(DataBufferError.tooLarge(limit: 2))
        #expect(buffer.writeError as? DataBufferError == .tooLarge(limit: 1))
    }

    // MARK: Limit

    /// The limit was only looked at when the memory had to grow, so a buffer that had been large
    /// before let records through that were larger.
    @Test(arguments: [false, true])
    func aRecordNeverGrowsBeyondItsLimit(wasLarge: Bool) {
        let buffer = DataBuffer()
        if wasLarge {
            buffer.writeBytes([UInt8](repeating: 0, count: 1000))
            buffer.removeAll()
        }
        buffer.sizeLimit = 100
        for _ in 0..<25 { buffer.writeUInt32(7) }
        #expect(buffer.writeError == nil)
        buffer.writeUInt8(1)
        #expect(buffer.writeError as? DataBufferError == .tooLarge(limit: 100))
        #expect(buffer.count == 100)
    }

    @Test func theLimitIsOneGibibyte() {
        #expect(DataBuffer.recordLimit == 1_073_741_824)
        let buffer = DataBuffer()
        buffer.writeUInt8(1)
        // No byte of it is read: the count alone is too much.
        let huge = UnsafeRawBufferPointer(start: UnsafeRawPointer(bitPattern: 1), count: 1 << 30)
        buffer.writeRawBytes(huge)
        buffer.writeCounted(huge)
        #expect(buffer.count == 1)
        #expect(buffer.writeError as? DataBufferError == .tooLarge(limit: 1 << 30))
    }

    // MARK: Borrowing

    @Test func borrowedBytesAreReadInPlace() throws {
        let bytes: [UInt8] = [1, 0, 0, 0, 0x61, 9]
        try bytes.withUnsafeBytes { memory in
            let buffer = DataBuffer()
            buffer.writeUInt64(0)
            buffer.borrow(memory)
            #expect(buffer.count == 6)
            buffer.withUnsafeBytes { #expect($0.baseAddress == memory.baseAddress) }
            let text = try buffer.readString()
            let byte = try buffer.readUInt8()
            #expect(text == "a" && byte == 9)
            #expect(throws: DataBufferError.self) { try buffer.readUInt8() }
        }
    }

    @Test(arguments: [3, 5000])
    func writingToBorrowedBytesTakesACopy(_ length: Int) throws {
        let bytes = [UInt8](repeating: 7, count: length)
        try bytes.withUnsafeBytes { memory in
            let buffer = DataBuffer()
            buffer.borrow(memory)
            _ = try buffer.readUInt8()
            buffer.writeUInt8(8)
            buffer.withUnsafeBytes { #expect($0.baseAddress != memory.baseAddress) }
            #expect(buffer.position == 1)
            #expect(buffer.bytes == bytes + [8])
            #expect(memory.allSatisfy { $0 == 7 })
        }
    }

    @Test func borrowingNothingLeavesNothing() {
        let buffer = DataBuffer([1, 2, 3])
        buffer.borrow(UnsafeRawBufferPointer(start: nil, count: 0))
        #expect(buffer.count == 0 && buffer.remaining == 0)
        buffer.writeUInt8(4)
        #expect(buffer.bytes == [4])
    }

    @Test func borrowingAgainAndEmptyingGiveBackTheBuffersOwnMemory() {
        let buffer = DataBuffer()
        for bytes in [[1, 2], [3], [4, 5, 6]] as [[UInt8]] {
            bytes.withUnsafeBytes { memory in
                buffer.borrow(memory)
                #expect(buffer.bytes == bytes)
            }
        }
        buffer.removeAll()
        buffer.writeUInt8(9)
        #expect(buffer.bytes == [9])
    }

    @Test func contentIsReplacedByWhatAnEngineFillsIn() {
        let buffer = DataBuffer([1, 2, 3])
        buffer.replaceContent(capacity: 1000) { memory in
            memory.storeBytes(of: 0x0A0B, as: UInt16.self)
            return 2
        }
        #expect(buffer.bytes == [0x0B, 0x0A])
        #expect(buffer.position == 0)
    }
}
