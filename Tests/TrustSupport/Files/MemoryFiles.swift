import CabinetBackend
import CabinetTokyo

/// A file layer that knows one file, which is in memory alone, and only reads it.
package final class MemoryFiles: PassingFiles, @unchecked Sendable {
    private let content: [UInt8]
    /// The same bytes, of exact size: a byte read too many lies outside.
    private let memory: UnsafeMutableRawBufferPointer

    package init(_ content: [UInt8]) {
        self.content = content
        memory = .allocate(byteCount: content.count, alignment: 1)
        memory.copyBytes(from: content)
        super.init()
    }

    deinit { memory.deallocate() }

    /// The map must not outlive the files.
    package override func map(
        _ file: OpenFile, upTo size: UInt64
    ) throws(BackendError) -> FileMap? {
        guard let base = memory.baseAddress, !content.isEmpty else { return nil }
        return FileMap(lending: base, size: min(UInt64(content.count), size))
    }

    package override func open(
        _ path: String, for use: FileUse
    ) throws(BackendError) -> OpenFile {
        guard use == .reading else { throw .readOnly(path: path) }
        return OpenFile(path: path, descriptor: -1)
    }

    package override func status(of path: String) throws(BackendError) -> FileStatus? {
        FileStatus(isDirectory: false, size: UInt64(content.count), device: 0, inode: 0)
    }

    package override func size(of file: OpenFile) throws(BackendError) -> UInt64 {
        UInt64(content.count)
    }

    package override func read(
        _ file: OpenFile, at offset: UInt64, into bytes: UnsafeMutableRawBufferPointer
    ) throws(BackendError) -> Int {
        guard offset < UInt64(content.count) else { return 0 }
        let rest = content[Int(offset)...].prefix(bytes.count)
        bytes.copyBytes(from: rest)
        return rest.count
    }
}
