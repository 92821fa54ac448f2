import CabinetBackend
import CabinetTokyo
import TrustSupport

/// Log segments: one with a head alone, one with a few saves, one with a save of several chunks,
/// one of saves with notes, and two whose numbers are at the ends of what
/// a number can be.
enum SegmentSeeds {
    static var all: [FuzzSeed] {
        [
            FuzzSeed("head", segment([])),
            FuzzSeed("saves", segment([.commit(1), .commit(2), .session(2), .commit(3)])),
            FuzzSeed("chunks", segment([.chunk(1), .chunk(1), .commit(1), .chunk(2)])),
            FuzzSeed("notes", segment([.chunk(4), .commit(4), .commit(5)], from: 4)),
            FuzzSeed("first-zero", segment([.commit(0), .commit(1)], from: 0)),
            FuzzSeed("last", segment([.commit(.max), .commit(0), .commit(1)], from: .max)),
        ]
    }

    private enum Frame {
        case session(CommitNumber)
        case chunk(CommitNumber)
        case commit(CommitNumber)
    }

    static let tables = [
        TableState(definition: TableDefinition(number: 0, kind: .named, name: "Catalog")),
        TableState(
            definition: TableDefinition(
                number: 2, kind: .record, name: "Song", classNumber: 1, classVersion: 3),
            lastCommit: 1, highestRow: 7),
        TableState(definition: TableDefinition(number: 3, kind: .ordered, name: "Song.1")),
    ]
    static let session = SessionRecord(
        mount: MountIdentity(boot: "a boot", device: 1, mount: 2, inode: 3), process: 4,
        durability: .full)

    private static func segment(_ frames: [Frame], from first: CommitNumber = 1) -> [UInt8] {
        let header = SegmentHeader(store: 0x5EED, segment: 1, firstCommit: first, time: 1)
        let before = CommitNumber(first.rawValue &- 1)
        var bytes = header.bytes()
        append(.tables, before, to: &bytes) { TableList.write(tables, to: $0) }
        append(.session, before, to: &bytes) { session.write(to: $0) }
        var chunks: UInt32 = 0
        for frame in frames {
            switch frame {
            case .session(let commitNumber):
                append(.session, commitNumber, to: &bytes) { session.write(to: $0) }
            case .chunk(let commitNumber):
                append(.chunk, commitNumber, chunks, to: &bytes) { write(commitNumber, to: $0) }
                chunks += 1
            case .commit(let commitNumber):
                append(.commit, commitNumber, chunks, to: &bytes) { write(commitNumber, to: $0) }
                chunks = 0
            }
        }
        SumRepair.segment(&bytes, places: true)
        return bytes
    }

    private static func append(
        _ kind: FrameKind, _ commitNumber: CommitNumber, _ chunks: UInt32 = 0,
        to bytes: inout [UInt8],
        _ write: (DataBuffer) -> Void
    ) {
        let body = DataBuffer()
        write(body)
        let hasNotes = kind == .commit && (4...5).contains(commitNumber)
        let header = FrameHeader(
            kind: kind, flags: hasNotes ? .hasNotes : [], length: UInt64(body.count),
            commitNumber: commitNumber,
            syncedCommit: 0, time: commitNumber.rawValue, offset: UInt64(bytes.count), segment: 1,
            chunks: chunks,
            author: hasNotes ? UInt32(truncatingIfNeeded: commitNumber.rawValue) : 0)
        var head = [UInt8](repeating: 0, count: FrameHeader.size)
        head.withUnsafeMutableBytes { room in
            if let base = room.baseAddress { _ = header.write(to: base, store: 0x5EED) }
        }
        bytes += head + body.withUnsafeBytes { Array($0) } + [0, 0, 0, 0]
    }

    /// The operations of a small save.
    private static func write(_ number: CommitNumber, to buffer: DataBuffer) {
        let batch = WriteBatch()
        do throws(BackendError) {
            if number == 1 { try batch.define(tables[1].definition) }
            let record = batch.beginRecord(
                RowID(UInt32(truncatingIfNeeded: number.rawValue &+ 1)), in: 2)
            record.writeString("song \(number)")
            try batch.endRecord()
            if number > 1 {
                try batch.deleteRow(RowID(UInt32(truncatingIfNeeded: number.rawValue)), in: 2)
            }
            let key = Array("key \(number)".utf8)
            try key.withUnsafeBufferPointer { bytes throws(BackendError) in
                let key = UnsafeRawBufferPointer(bytes)
                try batch.put(key, for: key, in: 3)
                if number == 3 { try batch.deleteKey(key, in: 3) }
            }
            if number == 3 { try batch.drop(3) }
            guard number == 4 || number == 5 else { return write(batch, to: buffer) }
            try key.withUnsafeBufferPointer { bytes throws(BackendError) in
                let bytes = UnsafeRawBufferPointer(bytes)
                try batch.note(UInt8(number.rawValue), bytes)
                try batch.note(0, UnsafeRawBufferPointer(rebasing: bytes[..<0]))
                try batch.addSkippable(0x81, in: 2, bytes)
            }
        } catch {
            preconditionFailure("A batch in memory takes everything: \(error)")
        }
        write(batch, to: buffer)
    }

    private static func write(_ batch: WriteBatch, to buffer: DataBuffer) {
        buffer.writeRawBytes(
            UnsafeRawBufferPointer(
                rebasing: UnsafeRawBufferPointer(batch.chunk())[WriteBatch.headroom...]))
    }
}
