import CabinetBackend

/// The file of a run while it is written, from front to back, through a buffer.
///
/// Not `Sendable`: it belongs to one writer.
final class RunOutput {
    private let files: any FileLayer
    private let file: OpenFile
    private let buffer: BlockMemory
    /// How many bytes of the buffer are filled.
    @exclusivity(unchecked) private(set) var filled = 0
    /// Where in the file the buffer's first byte goes.
    @exclusivity(unchecked) private var start: UInt64 = 0
    private var reserved: UInt64 = 0

    private static let bufferSize = 1 << 20
    /// By how much the file grows at a time: fewer calls, and longer stretches on the device.
    private static let step: UInt64 = 4 << 20

    var path: String { file.path }
    /// Where in the file the next byte goes.
    var offset: UInt64 { start + UInt64(filled) }
    /// Where the next byte goes. ``prepare(_:)`` said how many fit.
    @inline(__always)
    var end: UnsafeMutableRawPointer { buffer.base + filled }

    init(_ files: any FileLayer, _ path: String, spare: Int) throws(BackendError) {
        self.files = files
        buffer = try BlockMemory(capacity: Self.bufferSize + spare, path: path)
        file = try files.open(path, for: .replacing)
    }

    /// Sees that `count` more bytes fit, which may move what is in the buffer.
    @inline(__always)
    func prepare(_ count: Int) throws(BackendError) {
        try buffer.reserve(filled &+ count, path: path)
    }

    /// Takes `count` bytes that were written at ``end``.
    @inline(__always)
    func take(_ count: Int) { filled &+= count }

    /// Takes back what was written from `offset` of the file on, which is still in the buffer.
    func takeBack(to offset: UInt64) { filled = Int(offset - start) }

    /// The bytes from `offset` of the file on, which are still in the buffer.
    func bytes(from offset: UInt64) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(buffer.bytes(Int(offset - start)..<filled))
    }

    /// Adds bytes; many of them go to the file without a copy.
    func append(_ bytes: UnsafeRawBufferPointer) throws(BackendError) {
        guard let source = bytes.baseAddress else { return }
        if bytes.count > 64 << 10 {
            try flush()
            try write(bytes)
            return
        }
        try prepare(bytes.count)
        end.copyMemory(from: source, byteCount: bytes.count)
        filled += bytes.count
        try flushIfFull()
    }

    /// Hands the buffer to the system if it is full.
    @inline(__always)
    func flushIfFull() throws(BackendError) {
        if filled >= Self.bufferSize { try flush() }
    }

    func flush() throws(BackendError) {
        guard filled > 0 else { return }
        try write(UnsafeRawBufferPointer(buffer.bytes(0..<filled)))
        filled = 0
    }

    private func write(_ bytes: UnsafeRawBufferPointer) throws(BackendError) {
        try reserve(upTo: start + UInt64(bytes.count))
        try files.write(bytes, to: file, at: start)
        start += UInt64(bytes.count)
    }

    /// Sees that the device has space for what is written next. A small file takes what it needs.
    private func reserve(upTo size: UInt64) throws(BackendError) {
        guard size > reserved else { return }
        if start > 0 {
            do throws(BackendError) {
                try files.reserve(file, upTo: size + Self.step)
                reserved = size + Self.step
                return
            } catch {
                // What is needed may fit all the same.
                guard case .diskFull = error else { throw error }
            }
        }
        try files.reserve(file, upTo: size)
        reserved = size
    }

    /// Writes the rest, gives back disk space that was reserved and not used, and replaces the
    /// file's first bytes by `front`. Returns the file's size.
    func finish(front: UnsafeRawBufferPointer) throws(BackendError) -> UInt64 {
        try flush()
        if reserved > start { try files.truncate(file, to: start) }
        try files.write(front, to: file, at: 0)
        return start
    }

    func sync() throws(BackendError) { try files.sync(file) }
}
