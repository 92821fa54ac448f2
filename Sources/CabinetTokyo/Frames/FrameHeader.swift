import CabinetBackend

/// What stands before every body in the log. All integers are little-endian.
///
/// | offset | bytes | content |
/// |---|---|---|
/// | 0 | 4 | magic: `CbFr` |
/// | 4 | 1 | kind (``FrameKind``) |
/// | 5 | 1 | flags (``FrameFlags``) |
/// | 6 | 2 | 0 |
/// | 8 | 8 | length of the body |
/// | 16 | 8 | commit number: the number of the commit that the frame belongs to; of frames that belong to none, the number of the last commit before them |
/// | 24 | 8 | synced commit number: the highest number known to be durable when the frame was written |
/// | 32 | 8 | time, microseconds since 1970-01-01 00:00 UTC |
/// | 40 | 8 | tables: bit n is set if a table whose number is n modulo 64 is changed |
/// | 48 | 8 | where the frame begins in its segment |
/// | 56 | 8 | the segment's number |
/// | 64 | 4 | chunk frame: how many chunks of its commit come before it; commit frame: how many there are |
/// | 68 | 4 | commit frame: CRC-32C over the body CRCs of its chunks; else 0 |
/// | 72 | 4 | commit frame: the author (``WriteBatch/author``); else 0 |
/// | 76 | 4 | CRC-32C over bytes 0 to 75, going on from that of the store's number |
///
/// Behind the header stands the body, and behind that the CRC-32C of the body, going on from the
/// header's. The offset and the number of the segment keep a copy of a frame, in a value or left
/// over on the disk, from being taken for one.
package struct FrameHeader: Hashable, Sendable {
    package static let size = 80
    /// The bytes behind the body.
    package static let trailerSize = 4
    static let magic: UInt32 = 0x7246_6243

    package var kind: FrameKind
    package var flags: FrameFlags = []
    package var length: UInt64
    package var commitNumber: CommitNumber
    package var syncedCommit: CommitNumber
    package var time: UInt64
    package var tables: UInt64 = 0
    package var offset: UInt64
    package var segment: UInt64
    package var chunks: UInt32 = 0
    package var chunkSum: UInt32 = 0
    package var author: UInt32 = 0

    package init(
        kind: FrameKind, flags: FrameFlags = [], length: UInt64, commitNumber: CommitNumber,
        syncedCommit: CommitNumber, time: UInt64, tables: UInt64 = 0, offset: UInt64,
        segment: UInt64, chunks: UInt32 = 0, chunkSum: UInt32 = 0, author: UInt32 = 0
    ) {
        self.kind = kind
        self.flags = flags
        self.length = length
        self.commitNumber = commitNumber
        self.syncedCommit = syncedCommit
        self.time = time
        self.tables = tables
        self.offset = offset
        self.segment = segment
        self.chunks = chunks
        self.chunkSum = chunkSum
        self.author = author
    }

    /// The bytes of the whole frame. Saturates, as a damaged length might be anything.
    package var frameSize: UInt64 {
        let (sum, overflow) = length.addingReportingOverflow(
            UInt64(Self.size + Self.trailerSize))
        return overflow ? .max : sum
    }

    /// Writes the header's 80 bytes. Returns its CRC, from which the body's goes on.
    @discardableResult
    package func write(to bytes: UnsafeMutableRawPointer, store: UInt64) -> UInt32 {
        bytes.put(Self.magic, at: 0)
        bytes.put(kind.rawValue, at: 4)
        bytes.put(flags.rawValue, at: 5)
        bytes.put(0 as UInt16, at: 6)
        bytes.put(length, at: 8)
        bytes.put(commitNumber.rawValue, at: 16)
        bytes.put(syncedCommit.rawValue, at: 24)
        bytes.put(time, at: 32)
        bytes.put(tables, at: 40)
        bytes.put(offset, at: 48)
        bytes.put(segment, at: 56)
        bytes.put(chunks, at: 64)
        bytes.put(chunkSum, at: 68)
        bytes.put(author, at: 72)
        let sum = UnsafeRawBufferPointer(start: bytes, count: 76)
            .checksum(from: checksum(of: store))
        bytes.put(sum, at: 76)
        return sum
    }

    /// The header that stands at `bytes`, of which there must be 80, with its CRC. `nil` if they
    /// are no header of this store's at this offset of this segment.
    package static func read(
        _ bytes: UnsafeRawPointer, store: UInt64, segment: UInt64, offset: UInt64
    ) -> (header: FrameHeader, sum: UInt32)? {
        guard bytes.get(UInt32.self, at: 0) == magic,
            bytes.get(UInt64.self, at: 48) == offset, bytes.get(UInt64.self, at: 56) == segment,
            let kind = FrameKind(rawValue: bytes.get(UInt8.self, at: 4))
        else { return nil }
        let sum = UnsafeRawBufferPointer(start: bytes, count: 76)
            .checksum(from: checksum(of: store))
        guard sum == bytes.get(UInt32.self, at: 76) else { return nil }
        let header = FrameHeader(
            kind: kind,
            flags: FrameFlags(rawValue: bytes.get(UInt8.self, at: 5)),
            length: bytes.get(at: 8), commitNumber: CommitNumber(bytes.get(at: 16)),
            syncedCommit: CommitNumber(bytes.get(at: 24)),
            time: bytes.get(at: 32), tables: bytes.get(at: 40), offset: offset, segment: segment,
            chunks: bytes.get(at: 64), chunkSum: bytes.get(at: 68), author: bytes.get(at: 72))
        return (header, sum)
    }
}

/// What a frame is.
package enum FrameKind: UInt8, Hashable, Sendable {
    /// The tables at the head of a segment (``TableList``).
    case tables = 1
    /// The beginning of a stretch of use (``SessionRecord``).
    case session = 2
    /// Operations of a commit that a later frame completes.
    case chunk = 3
    /// The last operations of a commit. With this frame, whole, the commit exists.
    case commit = 4
}

/// What a reader may want to know before it reads the body.
package struct FrameFlags: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Commit frame: the commit defines or drops tables.
    package static let changesTables = FrameFlags(rawValue: 1)
    /// Commit frame: saved at ``Durability/full``.
    package static let full = FrameFlags(rawValue: 2)
    /// Commit frame: among the operations are some that a reader may skip. The bit 4 is reserved.
    package static let hasNotes = FrameFlags(rawValue: 8)
}
