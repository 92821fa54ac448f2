import CChecksum
import Testing

/// The expected sums are RFC 3720's, appendix B.4, and the check value of CRC catalogues.
struct ChecksumTests {
    /// What one sum is published for.
    struct Vector: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let bytes: [UInt8]
        let sum: UInt32

        static let published = [
            Vector(testDescription: "no bytes", bytes: [], sum: 0),
            Vector(testDescription: "123456789", bytes: Array("123456789".utf8), sum: 0xE306_9283),
            Vector(
                testDescription: "32 bytes of zeros",
                bytes: Array(repeating: 0, count: 32), sum: 0x8A91_36AA),
            Vector(
                testDescription: "32 bytes of ones",
                bytes: Array(repeating: 0xFF, count: 32), sum: 0x62A8_AB43),
            Vector(testDescription: "0 to 31", bytes: Array(0...31), sum: 0x46DD_794E),
            Vector(testDescription: "31 to 0", bytes: (0...31).reversed(), sum: 0x113F_DB5C),
            Vector(testDescription: "an iSCSI read command", bytes: readCommand, sum: 0xD996_3A56),
        ]

        private static let readCommand: [UInt8] = [
            0x01, 0xC0, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
            0x00, 0x00, 0x00, 0x00, 0x14, 0x00, 0x00, 0x00, 0x00, 0x00, 0x04, 0x00,
            0x00, 0x00, 0x00, 0x14, 0x00, 0x00, 0x00, 0x18, 0x28, 0x00, 0x00, 0x00,
            0x00, 0x00, 0x00, 0x00, 0x02, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
        ]
    }

    /// 4 KiB that follow no pattern, the same in every run.
    private static let noise: [UInt8] = {
        var state: UInt32 = 2010
        return (0..<4096).map { _ in
            state = state &* 1_664_525 &+ 1_013_904_223
            return UInt8(state >> 24)
        }
    }()

    @Test(arguments: Vector.published)
    func sumIsThePublishedOne(_ vector: Vector) {
        #expect(cabinet_crc32c(0, vector.bytes, vector.bytes.count) == vector.sum)
        #expect(cabinet_crc32c_table(0, vector.bytes, vector.bytes.count) == vector.sum)
    }

    /// Sums run in lanes of 512 bytes, three side by side, from 1,536 bytes on.
    @Test func longSumsAgreeWithTheTable() {
        let lengths = [1535, 1536, 1537, 2047, 3071, 3072, 3073, 4096, 98_304, 300_007]
        let bytes = (0..<80).flatMap { _ in Self.noise }
        bytes.withUnsafeBytes { bytes in
            for (start, count) in lengths.enumerated() {
                let place = bytes.baseAddress! + start
                #expect(
                    cabinet_crc32c(0xDEAD_BEEF, place, count)
                        == cabinet_crc32c_table(0xDEAD_BEEF, place, count))
            }
        }
    }

    @Test func instructionAndTableAgreeAtEveryLengthAndAlignment() {
        Self.noise.withUnsafeBytes { noise in
            for start in 0..<16 {
                for count in Array(0...130) + [255, 256, 257, 1023, 4000] {
                    let bytes = noise.baseAddress! + start
                    let sum = cabinet_crc32c(0xDEAD_BEEF, bytes, count)
                    if sum != cabinet_crc32c_table(0xDEAD_BEEF, bytes, count) {
                        Issue.record("\(count) bytes from \(start): the two ways differ")
                    }
                }
            }
        }
    }

    @Test func sumContinuesAcrossAnyCut() {
        Self.noise.withUnsafeBytes { noise in
            let bytes = noise.baseAddress!
            let whole = cabinet_crc32c(0, bytes, 200)
            for cut in 0...200 {
                let first = cabinet_crc32c(0, bytes, cut)
                if cabinet_crc32c(first, bytes + cut, 200 - cut) != whole {
                    Issue.record("cut at \(cut): the sum is another")
                }
            }
        }
    }

    @Test func sumBehindAByteIsThatOfBoth() {
        Self.noise.withUnsafeBytes { noise in
            let bytes = noise.baseAddress!
            for count in Array(0...70) + [4000] {
                let both = cabinet_crc32c_table(3, bytes, count + 1)
                if cabinet_crc32c_behind(3, noise[0], bytes + 1, count) != both {
                    Issue.record("\(count) bytes behind one: the sum is another")
                }
            }
        }
    }

    @Test func noBytesNeedNoAddress() {
        #expect(cabinet_crc32c(7, nil, 0) == 7)
        #expect(cabinet_crc32c_behind(7, 1, nil, 0) == cabinet_crc32c(7, [1], 1))
        #expect(cabinet_crc32c_table(7, nil, 0) == 7)
    }

    @Test func everyFlippedBitChangesTheSum() {
        var record = Array(Self.noise.prefix(30))
        let sum = cabinet_crc32c(0, record, record.count)
        for bit in 0..<(record.count * 8) {
            record[bit / 8] ^= 1 << (bit % 8)
            #expect(cabinet_crc32c(0, record, record.count) != sum)
            record[bit / 8] ^= 1 << (bit % 8)
        }
    }
}
