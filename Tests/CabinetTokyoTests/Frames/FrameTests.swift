import CChecksum
import CabinetBackend
import Testing

@testable import CabinetTokyo

struct FrameTests {
    let header = FrameHeader(
        kind: .commit, flags: [.full, .hasNotes], length: 0x0102, commitNumber: 7, syncedCommit: 6,
        time: 9,
        tables: 1 << 5, offset: 128, segment: 3, chunks: 2, chunkSum: 0xAABB_CCDD,
        author: 0x0A0B_0C0D)

    /// The header, put together byte by byte.
    private func byHand() -> [UInt8] {
        func word(_ value: UInt64) -> [UInt8] { (0..<8).map { UInt8(value >> ($0 * 8) & 0xFF) } }
        func half(_ value: UInt32) -> [UInt8] { (0..<4).map { UInt8(value >> ($0 * 8) & 0xFF) } }
        var bytes = Array("CbFr".utf8) + [4, 10, 0, 0]
        bytes += word(0x0102) + word(7) + word(6) + word(9) + word(1 << 5) + word(128) + word(3)
        bytes += half(2) + half(0xAABB_CCDD) + half(0x0A0B_0C0D)
        let seed = cabinet_crc32c_table(0, word(77), 8)
        return bytes + half(cabinet_crc32c_table(seed, bytes, bytes.count))
    }

    private func written() -> [UInt8] {
        var bytes = [UInt8](repeating: 0xFF, count: FrameHeader.size)
        bytes.withUnsafeMutableBytes { buffer in
            if let base = buffer.baseAddress { header.write(to: base, store: 77) }
        }
        return bytes
    }

    private func read(
        _ bytes: [UInt8], store: UInt64 = 77, segment: UInt64 = 3, offset: UInt64 = 128
    ) -> FrameHeader? {
        bytes.withUnsafeBytes { buffer in
            buffer.baseAddress.flatMap {
                FrameHeader.read($0, store: store, segment: segment, offset: offset)?.header
            }
        }
    }

    @Test func theHeaderIsTheOneOfTheTable() {
        #expect(written() == byHand())
        #expect(read(byHand()) == header)
        #expect(FrameHeader.size == 80)
    }

    @Test func aCopyElsewhereIsNoFrame() {
        #expect(read(written(), offset: 129) == nil)
        #expect(read(written(), segment: 4) == nil)
        #expect(read(written(), store: 78) == nil)
    }

    @Test(arguments: 0..<80)
    func noBitOfTheHeaderMayChange(_ index: Int) {
        for bit in 0..<8 {
            var bytes = written()
            bytes[index] ^= 1 << bit
            #expect(read(bytes) == nil)
        }
    }

    @Test func anImpossibleLengthSaturates() {
        var wild = header
        wild.length = .max
        #expect(wild.frameSize == .max)
    }

    @Test func aSegmentHeaderComesBack() throws {
        var header = SegmentHeader(
            store: 1, segment: 2, firstCommit: 3, predecessor: 4, predecessorEnd: 5,
            syncedCommit: 6,
            time: 7, line: 8)
        (header.directory, header.inode, header.birth) = (9, 10, 11)
        let bytes = header.bytes()
        #expect(Array(bytes.prefix(12)) == Array("CabnLog".utf8) + [0, 3, 0, 0, 0])
        #expect((bytes[72], bytes[80], bytes[88], bytes[96]) == (8, 9, 10, 11))
        #expect(bytes[104..<124].allSatisfy { $0 == 0 })
        let back = try bytes.withUnsafeBytes { try SegmentHeader($0, path: "log") }
        #expect(back == header)
        #expect(throws: BackendError.corrupt(path: "log", offset: 0)) {
            var bad = bytes
            bad[40] ^= 1
            try bad.withUnsafeBytes { _ = try SegmentHeader($0, path: "log") }
        }
        var other = header
        for format in [0, 1, 2, 5, .max] as [UInt32] {
            other.format = format
            let expected: BackendError? =
                switch format {
                case 0: .corrupt(path: "log", offset: 8)
                case 1, 2: .olderFormat(path: "log", found: format, oldest: 3)
                default: .newerFormat(path: "log", found: format, known: 4)
                }
            #expect(thrown(by: other.bytes()) == expected, "format \(format)")
        }
    }

    private func thrown(by bytes: [UInt8]) -> BackendError? {
        bytes.withUnsafeBytes { bytes in
            do throws(BackendError) {
                _ = try SegmentHeader(bytes, path: "log")
                return nil
            } catch {
                return error
            }
        }
    }

    /// Readers count from the save before a segment's first one.
    @Test func noSegmentBeginsWithSaveZero() throws {
        let bytes = SegmentHeader(store: 1, segment: 2, firstCommit: 0, time: 7).bytes()
        #expect(throws: BackendError.corrupt(path: "log", offset: 32)) {
            try bytes.withUnsafeBytes { _ = try SegmentHeader($0, path: "log") }
        }
    }

    @Test func tablesAndSessionsComeBack() throws {
        let buffer = DataBuffer()
        let tables = [
            TableState(
                definition: TableDefinition(
                    number: 2, kind: .record, name: "Song", classNumber: 1, classVersion: 4,
                    flags: TableFlags(rawValue: 0x82)),
                lastCommit: 12, highestRow: 99),
            TableState(definition: TableDefinition(number: 3, kind: .ordered, name: "Song.1")),
        ]
        TableList.write(tables, to: buffer)
        #expect(try TableList.read(from: buffer) == tables)
        #expect(buffer.remaining == 0)
        let session = SessionRecord(
            mount: MountIdentity(boot: "b", device: 1, mount: 2, inode: 3), process: 4,
            durability: .full)
        session.write(to: buffer)
        #expect(try SessionRecord(from: buffer) == session)
    }
}
