import CZlib
import Testing

struct ZlibTests {
    @Test(arguments: [0, 1, 64, 100_000])
    func whatIsDeflatedInflatesAgain(count: Int) throws {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 * $0) }
        let packed = try deflated(bytes)
        #expect(try inflated(packed, room: count) == bytes)
    }

    @Test func repetitionTakesLittleRoom() throws {
        let packed = try deflated(Array(repeating: 7, count: 100_000))
        #expect(packed.count < 1000)
    }

    /// RFC 1950 and 1951: header, one stored block of three bytes, Adler-32.
    @Test func bytesWrittenByHandInflate() throws {
        let byHand: [UInt8] = [
            0x78, 0x01, 0x01, 0x03, 0x00, 0xFC, 0xFF, 0x61, 0x62, 0x63, 0x02, 0x4D, 0x01, 0x27,
        ]
        #expect(try inflated(byHand, room: 3) == Array("abc".utf8))
    }

    @Test func damageIsNoticed() throws {
        var packed = try deflated(Array("a record, and another record".utf8))
        packed[packed.count - 1] ^= 1
        #expect(throws: Failure(code: Z_DATA_ERROR)) { try inflated(packed, room: 100) }
    }

    private struct Failure: Error, Equatable {
        let code: Int32
    }

    private func deflated(_ bytes: [UInt8]) throws -> [UInt8] {
        var size = compressBound(uLong(bytes.count))
        var packed = [UInt8](repeating: 0, count: Int(size))
        let code = compress2(&packed, &size, bytes, uLong(bytes.count), Z_BEST_SPEED)
        guard code == Z_OK else { throw Failure(code: code) }
        return Array(packed.prefix(Int(size)))
    }

    private func inflated(_ packed: [UInt8], room: Int) throws -> [UInt8] {
        var size = uLong(room)
        var bytes = [UInt8](repeating: 0, count: max(room, 1))
        let code = uncompress(&bytes, &size, packed, uLong(packed.count))
        guard code == Z_OK else { throw Failure(code: code) }
        return Array(bytes.prefix(Int(size)))
    }
}
