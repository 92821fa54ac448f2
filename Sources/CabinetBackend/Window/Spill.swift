import CChecksum

/// The values of a window that lie in its file, the last of them still in memory, so that a write
/// holds many. The engine's lock guards it.
final class Spill {
    private let file: any SpillFile
    private let tail = DataBuffer()
    private var written: UInt64 = 0

    /// The tail is written when it has reached this many bytes: 256 KiB.
    private static let tailLimit = 256 << 10

    init(_ file: any SpillFile) {
        self.file = file
        tail.sizeLimit = .max
    }

    /// How many bytes there are, in the file and behind it.
    var size: Int { Int(written) + tail.count }

    /// Adds a value.
    /// - Throws: what the file throws; then the value was not added.
    func add(_ value: UnsafeRawBufferPointer) throws(BackendError) -> SpilledValue {
        if tail.count + value.count > Self.tailLimit { try flush() }
        let place = SpilledValue(
            offset: UInt64(size), size: value.count, sum: Self.sum(of: value))
        if value.count > Self.tailLimit {
            try file.write(value, at: written)
            written += UInt64(value.count)
        } else {
            tail.writeRawBytes(value)
        }
        return place
    }

    private func flush() throws(BackendError) {
        guard tail.count > 0 else { return }
        try file.write(UnsafeRawBufferPointer(tail.memory), at: written)
        written += UInt64(tail.count)
        tail.removeAll()
    }

    /// Replaces the content of `buffer` by a value.
    /// - Throws: what the file throws; ``BackendError/corrupt(path:offset:)`` for other bytes than
    ///   were written.
    func read(_ value: SpilledValue, into buffer: DataBuffer) throws(BackendError) {
        buffer.removeAll()
        buffer.reserve(value.size)
        if value.offset >= written {
            let start = Int(value.offset - written)
            buffer.writeRawBytes(
                UnsafeRawBufferPointer(rebasing: tail.memory[start..<start + value.size]))
        } else {
            buffer.resize(to: value.size)
            try file.read(at: value.offset, into: buffer.memory)
        }
        guard Self.sum(of: UnsafeRawBufferPointer(buffer.memory)) == value.sum else {
            throw .corrupt(path: "the temporary file of frozen readers", offset: value.offset)
        }
    }

    private static func sum(of bytes: UnsafeRawBufferPointer) -> UInt32 {
        bytes.baseAddress.map { cabinet_crc32c(0, $0, bytes.count) } ?? 0
    }
}
