import CabinetBackend

/// A file read from front to back, in pieces that grow: reading only a header reads little.
final class ByteWindow {
    let file: OpenFile
    /// How many bytes the file had when it was opened.
    let size: UInt64

    let files: any FileLayer
    private var memory: UnsafeMutableRawBufferPointer
    private var start: UInt64 = 0
    private var count = 0

    private static let step = 1 << 20
    private static let firstStep = 1 << 13
    /// How much the next reading takes in, unless more is asked for.
    private var ahead = ByteWindow.firstStep

    convenience init(files: any FileLayer, path: String) throws(BackendError) {
        try self.init(files: files, file: try files.open(path, for: .reading))
    }

    /// A file that is open already, as long as it is now.
    init(files: any FileLayer, file: OpenFile) throws(BackendError) {
        self.files = files
        self.file = file
        size = try files.size(of: file)
        memory = .allocate(byteCount: Self.step, alignment: 16)
    }

    deinit { memory.deallocate() }

    /// The `length` bytes from `offset` on, until the next call. `nil` if the file is shorter.
    func bytes(at offset: UInt64, _ length: UInt64) throws(BackendError)
        -> UnsafeRawBufferPointer?
    {
        guard offset <= size, length <= size - offset, let length = Int(exactly: length) else {
            return nil
        }
        if offset < start || offset - start > UInt64(count)
            || count - Int(offset - start) < length
        {
            if memory.count < length {
                memory.deallocate()
                memory = .allocate(byteCount: length + Self.step, alignment: 16)
            }
            start = offset
            count = 0
            let wanted = min(UInt64(max(length, min(ahead, memory.count))), size - offset)
            ahead = min(ahead * 8, Self.step)
            count = try files.read(
                file, at: offset,
                into: UnsafeMutableRawBufferPointer(rebasing: memory[..<Int(wanted)]))
            guard count >= length else { return nil }
        }
        return UnsafeRawBufferPointer(
            rebasing: memory[Int(offset - start)..<Int(offset - start) + length])
    }
}
