import CabinetBackend
import CabinetTokyo

/// A file layer that knows one file, which is in memory alone, and only reads it.
package final class MemoryFiles: PassingFiles, @unchecked Sendable {
    private let content: [UInt8]

    package init(_ content: [UInt8]) {
        self.content = content
        super.init()
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
