/// What a row or a key was at an older commit.
package enum Version {
    /// What it is now: it has not changed since.
    case current
    /// It was not there.
    case absent
    /// Its value then, without checksum; the bytes live until the window changes.
    case value(UnsafeRawBufferPointer)
    /// Its value then lies in a file; see ``VersionWindow/read(_:into:)``.
    case spilled(SpilledValue)
}

/// What one row or key was before commits that changed it, as bytes in a table of the window: the
/// number of the last such commit (UInt64), then, oldest first, the commit (UInt64), the value's
/// length (UInt32, all ones for none) and the value. Where the length's highest bit is set, the value
/// lies in a file, and its offset there (UInt64) and its CRC-32C (UInt32) stand in its place.
struct Versions {
    private let bytes: UnsafeRawBufferPointer

    static let headSize = 8
    private static let entrySize = 12
    private static let spilledBit: UInt32 = 1 << 31
    private static let spilledSize = 12

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    var lastChange: CommitNumber { bytes.loadUnaligned(as: CommitNumber.self) }

    /// Notes that `commit` changes it; the bytes are the window's own. `false`: a reader sees it,
    /// so keep the value.
    @inline(__always)
    func note(_ commit: CommitNumber, newestHeld: CommitNumber) -> Bool {
        let last = lastChange
        if last == commit { return true }
        if newestHeld >= last { return false }
        setLastChange(commit)
        return true
    }

    /// Writes the last commit that changed it over the one before; the bytes are the window's own.
    func setLastChange(_ commit: CommitNumber) {
        guard let address = bytes.baseAddress else { return }
        withUnsafeBytes(of: commit) {
            UnsafeMutableRawBufferPointer(
                start: UnsafeMutableRawPointer(mutating: address), count: Self.headSize
            ).copyMemory(from: $0)
        }
    }

    private struct Entry {
        var commit: CommitNumber
        /// How long the value is, as the bytes have it.
        var length: UInt32
        /// Where the entry begins, and where the next one does.
        var start: Int
        var end: Int

        var isSpilled: Bool { length != .max && length & Versions.spilledBit != 0 }
    }

    /// The entry that begins at `start`, or `nil` at the end.
    @inline(__always)
    private func entry(at start: Int) -> Entry? {
        guard start < bytes.count else { return nil }
        let length = bytes.loadUnaligned(fromByteOffset: start + 8, as: UInt32.self)
        let size =
            length == .max
            ? 0 : length & Self.spilledBit != 0 ? Self.spilledSize : Int(length)
        return Entry(
            commit: bytes.loadUnaligned(fromByteOffset: start, as: CommitNumber.self),
            length: length, start: start, end: start + Self.entrySize + size)
    }

    /// What it was at the commit `number`, which a reader must have held ever since.
    func version(at number: CommitNumber) -> Version {
        var place = Self.headSize
        while let entry = entry(at: place) {
            place = entry.end
            guard entry.commit > number else { continue }
            guard entry.length != .max else { return .absent }
            if entry.isSpilled { return .spilled(spilled(entry)) }
            return .value(
                UnsafeRawBufferPointer(rebasing: bytes[(entry.start + Self.entrySize)..<entry.end]))
        }
        return .current
    }

    private func spilled(_ entry: Entry) -> SpilledValue {
        let start = entry.start + Self.entrySize
        return SpilledValue(
            offset: bytes.loadUnaligned(fromByteOffset: start, as: UInt64.self),
            size: Int(entry.length & ~Self.spilledBit),
            sum: bytes.loadUnaligned(fromByteOffset: start + 8, as: UInt32.self))
    }

    /// Calls `body` with each value in a file, and writes what it returns as the value's offset.
    func forEachSpilled(
        _ body: (SpilledValue) throws(BackendError) -> UInt64
    ) throws(BackendError) {
        var place = Self.headSize
        while let entry = entry(at: place) {
            place = entry.end
            guard entry.isSpilled, let address = bytes.baseAddress else { continue }
            let offset = try body(spilled(entry))
            withUnsafeBytes(of: offset) {
                UnsafeMutableRawBufferPointer(
                    start: UnsafeMutableRawPointer(mutating: address) + entry.start
                        + Self.entrySize, count: 8
                ).copyMemory(from: $0)
            }
        }
    }

    /// Writes what the bytes are once `commit` has changed what was `before`: not `.current`.
    static func write(
        to buffer: DataBuffer, after old: UnsafeRawBufferPointer?, before: Version,
        commit: CommitNumber
    ) {
        buffer.removeAll()
        write(commit, to: buffer)
        if let old { buffer.writeRawBytes(UnsafeRawBufferPointer(rebasing: old[headSize...])) }
        write(commit, to: buffer)
        switch before {
        case .current, .absent: write(UInt32.max, to: buffer)
        case .value(let value):
            write(UInt32(truncatingIfNeeded: value.count), to: buffer)
            buffer.writeRawBytes(value)
        case .spilled(let value):
            write(UInt32(truncatingIfNeeded: value.size) | spilledBit, to: buffer)
            write(value.offset, to: buffer)
            write(value.sum, to: buffer)
        }
    }

    /// Writes to `buffer` what is left for readers of `held`, which ascend. `false`: nothing.
    func writeTrimmed(to buffer: DataBuffer, held: [CommitNumber]) -> Bool {
        guard let oldest = held.first, lastChange > oldest else { return false }
        buffer.removeAll()
        Self.write(lastChange, to: buffer)
        var place = Self.headSize
        var before: CommitNumber = 0
        while let entry = entry(at: place) {
            if held.contains(from: before, before: entry.commit) {
                buffer.writeRawBytes(
                    UnsafeRawBufferPointer(rebasing: bytes[entry.start..<entry.end]))
            }
            before = entry.commit
            place = entry.end
        }
        return true
    }

    // In the machine's order: they never leave the process.
    private static func write(_ value: some BitwiseCopyable, to buffer: DataBuffer) {
        withUnsafeBytes(of: value) { buffer.writeRawBytes($0) }
    }
}

extension [CommitNumber] {
    /// Whether one of the numbers, which ascend, is `start` or higher and lower than `end`.
    func contains(from start: CommitNumber, before end: CommitNumber) -> Bool {
        let place = partitioningIndex { $0 >= start }
        return place < count && self[place] < end
    }
}
