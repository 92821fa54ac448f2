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

    private static let headSize = 8
    private static let entrySize = 12

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    /// The last commit that changed it.
    var lastChange: CommitNumber { bytes.loadUnaligned(as: CommitNumber.self) }

    /// What it was at the commit `number`, which a reader must have held ever since.
    func version(at number: CommitNumber) -> Version {
        var place = Self.headSize
        while place < bytes.count {
            let commit = bytes.loadUnaligned(fromByteOffset: place, as: CommitNumber.self)
            let length = bytes.loadUnaligned(fromByteOffset: place + 8, as: UInt32.self)
            let size = length == .max ? 0 : Int(length)
            place += Self.entrySize
            if commit > number {
                guard length != .max else { return .absent }
                return .value(UnsafeRawBufferPointer(rebasing: bytes[place..<place + size]))
            }
            place += size
        }
        return .current
    }

    /// Writes to `buffer` what the bytes are once `commit` has changed what was `before`.
    ///
    /// - Parameter newestHeld: the highest commit that a reader holds. The value is kept only if a
    ///   reader holds a commit since the last change.
    /// - Returns: `false` if nothing is to be written: it is noted already for this commit.
    static func write(
        to buffer: DataBuffer, after old: UnsafeRawBufferPointer?,
        before: UnsafeRawBufferPointer?, commit: CommitNumber, newestHeld: CommitNumber
    ) -> Bool {
        var isNeeded = true
        buffer.removeAll()
        writeNumber(commit, to: buffer)
        if let old {
            let last = Versions(old).lastChange
            if last == commit { return false }
            isNeeded = newestHeld >= last
            buffer.writeRawBytes(UnsafeRawBufferPointer(rebasing: old[headSize...]))
        }
        guard isNeeded else { return true }
        writeNumber(commit, to: buffer)
        withUnsafeBytes(of: before.map { UInt32(truncatingIfNeeded: $0.count) } ?? .max) {
            buffer.writeRawBytes($0)
        }
        if let before { buffer.writeRawBytes(before) }
        return true
    }

    /// Writes to `buffer` what is left once no reader holds a commit before `oldest`. `false`:
    /// nothing.
    func writeTrimmed(to buffer: DataBuffer, oldest: CommitNumber) -> Bool {
        guard lastChange > oldest else { return false }
        buffer.removeAll()
        Self.writeNumber(lastChange, to: buffer)
        var place = Self.headSize
        while place < bytes.count {
            let commit = bytes.loadUnaligned(fromByteOffset: place, as: CommitNumber.self)
            let length = bytes.loadUnaligned(fromByteOffset: place + 8, as: UInt32.self)
            let end = place + Self.entrySize + (length == .max ? 0 : Int(length))
            if commit > oldest {
                buffer.writeRawBytes(UnsafeRawBufferPointer(rebasing: bytes[place..<end]))
            }
            place = end
        }
        return true
    }

    // In the machine's order: they never leave the process.
    private static func writeNumber(_ number: CommitNumber, to buffer: DataBuffer) {
        withUnsafeBytes(of: number) { buffer.writeRawBytes($0) }
    }
}
