import CabinetBackend

/// The first 128 bytes of a log segment. All integers are little-endian.
///
/// | offset | bytes | content |
/// |---|---|---|
/// | 0 | 8 | magic: `CabnLog` and a zero |
/// | 8 | 4 | format: 3, or 4 if the bodies of chunks and commits are sealed |
/// | 12 | 4 | 0 |
/// | 16 | 8 | the store's number |
/// | 24 | 8 | the segment's number |
/// | 32 | 8 | the commit number of the first commit in it |
/// | 40 | 8 | the segment that comes before; 0 for none |
/// | 48 | 8 | where that one ends, whatever stands behind |
/// | 56 | 8 | synced commit number |
/// | 64 | 8 | time, microseconds since 1970-01-01 00:00 UTC |
/// | 72 | 8 | the line of the commits in it; 0: not said |
/// | 80 | 8 | the inode of the store's directory when the segment was made |
/// | 88 | 8 | the inode of the segment |
/// | 96 | 8 | when its file was made, in nanoseconds since 1970-01-01 00:00 UTC; 0: not known |
/// | 124 | 4 | CRC-32C over bytes 0 to 123 |
///
/// Bytes 104 to 123 are 0. The magic, the format and the offset and range of the CRC are the same
/// in every format to come, so that a newer one is recognised. A segment has its name only once
/// its head is synced, so a segment with a bad header is damaged.
package struct SegmentHeader: Hashable, Sendable {
    package static let size = 128
    /// The newest format that this code knows: that of a sealed store.
    package static let format: UInt32 = 4
    package static let openFormat: UInt32 = 3
    private static let known = KnownFormats(openFormat...format)
    static let magic: UInt64 = 0x0067_6F4C_6E62_6143

    package var store: UInt64
    package var segment: UInt64
    package var firstCommit: CommitNumber
    package var predecessor: UInt64 = 0
    package var predecessorEnd: UInt64 = 0
    package var syncedCommit: CommitNumber = 0
    package var time: UInt64
    /// The number of the ``CommitLine`` that the commits are of which are appended; 0: not said.
    package var line: UInt64 = 0
    /// Where the segment was made: in a copy of it these numbers are others.
    package var directory: UInt64 = 0
    package var inode: UInt64 = 0
    package var birth: UInt64 = 0
    /// The format that was read, or is to be written.
    package var format = Self.openFormat

    /// Whether the bodies of chunks and commits are sealed.
    var isSealed: Bool {
        get { format == Self.format }
        set { format = newValue ? Self.format : Self.openFormat }
    }

    package func bytes() -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: Self.size)
        bytes.withUnsafeMutableBytes { buffer in
            guard let base = buffer.baseAddress else { return }
            base.put(Self.magic, at: 0)
            base.put(format, at: 8)
            base.put(store, at: 16)
            base.put(segment, at: 24)
            base.put(firstCommit.rawValue, at: 32)
            base.put(predecessor, at: 40)
            base.put(predecessorEnd, at: 48)
            base.put(syncedCommit.rawValue, at: 56)
            base.put(time, at: 64)
            base.put(line, at: 72)
            base.put(directory, at: 80)
            base.put(inode, at: 88)
            base.put(birth, at: 96)
            base.put(UnsafeRawBufferPointer(rebasing: buffer[..<124]).checksum(), at: 124)
        }
        return bytes
    }

    /// Reads the header in `bytes`.
    /// - Throws: ``BackendError/corrupt(path:offset:)`` and
    ///   ``BackendError/newerFormat(path:found:known:)``, and
    ///   ``BackendError/olderFormat(path:found:oldest:)``.
    package init(_ bytes: UnsafeRawBufferPointer, path: String) throws(BackendError) {
        guard bytes.count >= Self.size, let base = bytes.baseAddress,
            base.get(UInt64.self, at: 0) == Self.magic,
            UnsafeRawBufferPointer(rebasing: bytes[..<124]).checksum() == base.get(at: 124)
        else { throw .corrupt(path: path, offset: 0) }
        let format = base.get(UInt32.self, at: 8)
        try Self.known.check(format, path: path)
        self.format = format
        store = base.get(at: 16)
        segment = base.get(at: 24)
        firstCommit = CommitNumber(base.get(at: 32))
        // Commits are numbered from 1 on, and readers count from the one before the first.
        guard firstCommit > 0 else { throw .corrupt(path: path, offset: 32) }
        predecessor = base.get(at: 40)
        predecessorEnd = base.get(at: 48)
        syncedCommit = CommitNumber(base.get(at: 56))
        time = base.get(at: 64)
        line = base.get(at: 72)
        directory = base.get(at: 80)
        inode = base.get(at: 88)
        birth = base.get(at: 96)
    }

    package init(
        store: UInt64, segment: UInt64, firstCommit: CommitNumber, predecessor: UInt64 = 0,
        predecessorEnd: UInt64 = 0, syncedCommit: CommitNumber = 0, time: UInt64,
        line: UInt64 = 0
    ) {
        self.store = store
        self.segment = segment
        self.firstCommit = firstCommit
        self.predecessor = predecessor
        self.predecessorEnd = predecessorEnd
        self.syncedCommit = syncedCommit
        self.time = time
        self.line = line
    }
}
