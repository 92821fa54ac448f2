/// What a row or a key was at an older commit.
package enum Version {
    /// What it is now: it has not changed since.
    case current
    /// It was not there.
    case absent
    /// Its value then, without checksum; the bytes live until the window changes.
    case value(UnsafeRawBufferPointer)
}

/// What one row or key was before commits that changed it, as bytes in a table of the window: the
/// number of the last such commit (UInt64), then, oldest first, the commit (UInt64), the value's
/// length (UInt32, all ones for none) and the value.
struct Versions {
    private let bytes: UnsafeRawBufferPointer

    static let headSize = 8
    private static let entrySize = 12

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    /// The last commit that changed it.
    var lastChange: CommitNumber { bytes.loadUnaligned(as: CommitNumber.self) }

    /// Writes the last commit that changed it over the one before; the bytes are the window's own.
    func setLastChange(_ commit: CommitNumber) {
        guard let address = bytes.baseAddress else { return }
        withUnsafeBytes(of: commit) {
            UnsafeMutableRawBufferPointer(
                start: UnsafeMutableRawPointer(mutating: address), count: Self.headSize
            ).copyMemory(from: $0)
        }
    }

    /// One value that was replaced.
    private struct Entry {
        /// The commit that replaced it.
        var commit: CommitNumber
        /// `nil`: there was none.
        var size: Int?
        /// Where the entry begins, and where the next one does.
        var start: Int
        var end: Int
    }

    /// The entry that begins at `start`, or `nil` at the end.
    @inline(__always)
    private func entry(at start: Int) -> Entry? {
        guard start < bytes.count else { return nil }
        let length = bytes.loadUnaligned(fromByteOffset: start + 8, as: UInt32.self)
        let size = length == .max ? nil : Int(length)
        return Entry(
            commit: bytes.loadUnaligned(fromByteOffset: start, as: CommitNumber.self),
            size: size, start: start, end: start + Self.entrySize + (size ?? 0))
    }

    /// What it was at the commit `number`, which a reader must have held ever since.
    func version(at number: CommitNumber) -> Version {
        var place = Self.headSize
        while let entry = entry(at: place) {
            place = entry.end
            guard entry.commit > number else { continue }
            guard entry.size != nil else { return .absent }
            return .value(
                UnsafeRawBufferPointer(rebasing: bytes[(entry.start + Self.entrySize)..<entry.end]))
        }
        return .current
    }

    /// Writes to `buffer` what the bytes are once `commit` has changed what was `before`.
    static func write(
        to buffer: DataBuffer, after old: UnsafeRawBufferPointer?,
        before: UnsafeRawBufferPointer?, commit: CommitNumber
    ) {
        buffer.removeAll()
        writeNumber(commit, to: buffer)
        if let old { buffer.writeRawBytes(UnsafeRawBufferPointer(rebasing: old[headSize...])) }
        writeNumber(commit, to: buffer)
        withUnsafeBytes(of: before.map { UInt32(truncatingIfNeeded: $0.count) } ?? .max) {
            buffer.writeRawBytes($0)
        }
        if let before { buffer.writeRawBytes(before) }
    }

    /// Writes to `buffer` what is left while readers hold the commits `held`, which ascend. `false`:
    /// nothing.
    func writeTrimmed(to buffer: DataBuffer, held: [CommitNumber]) -> Bool {
        guard let oldest = held.first, lastChange > oldest else { return false }
        buffer.removeAll()
        Self.writeNumber(lastChange, to: buffer)
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
    static func writeNumber(_ number: CommitNumber, to buffer: DataBuffer) {
        withUnsafeBytes(of: number) { buffer.writeRawBytes($0) }
    }
}

extension [CommitNumber] {
    /// Whether one of the numbers, which ascend, is `start` or higher and lower than `end`.
    func contains(from start: CommitNumber, before end: CommitNumber) -> Bool {
        var low = 0
        var high = count
        while low < high {
            let middle = (low + high) / 2
            if self[middle] < start { low = middle + 1 } else { high = middle }
        }
        return low < count && self[low] < end
    }
}
