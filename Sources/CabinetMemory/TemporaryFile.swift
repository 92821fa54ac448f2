import CLibrary
import CabinetBackend

/// A file without a name in the system's temporary directory: `TMPDIR`, or `/tmp`.
///
/// `Sendable`: its descriptor never changes.
final class TemporaryFile: SpillFile {
    private let descriptor: Int32
    private let path: String

    init() throws(BackendError) {
        let directory = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        if let nameless = Self.nameless(in: directory) {
            (descriptor, path) = (nameless, directory)
            return
        }
        var template = Array("\(directory)/cabinet-XXXXXX".utf8CString)
        descriptor = mkstemp(&template)
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        guard descriptor >= 0 else { throw Self.failure("mkstemp", path) }
        _ = unlink(path)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    }

    /// A file that never has a name, so that a kill leaves none; `nil` where the system or the file
    /// system has none.
    private static func nameless(in directory: String) -> Int32? {
        #if os(Linux)
            // O_TMPFILE, a macro that Swift does not import.
            let kind = 0o20_000_000 | O_DIRECTORY
            let descriptor = open(directory, kind | O_RDWR | O_CLOEXEC, 0o600)
            return descriptor >= 0 ? descriptor : nil
        #else
            return nil
        #endif
    }

    deinit { _ = close(descriptor) }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(BackendError) {
        var done = 0
        while done < bytes.count, let base = bytes.baseAddress {
            let count = pwrite(
                descriptor, base + done, bytes.count - done, off_t(offset) + off_t(done))
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw Self.failure("pwrite", path) }
            done += count
        }
    }

    func read(
        at offset: UInt64, into bytes: UnsafeMutableRawBufferPointer
    ) throws(BackendError) {
        var done = 0
        while done < bytes.count, let base = bytes.baseAddress {
            let count = pread(
                descriptor, base + done, bytes.count - done, off_t(offset) + off_t(done))
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw Self.failure("pread", path) }
            guard count > 0 else {
                throw .corrupt(path: path, offset: offset + UInt64(done))
            }
            done += count
        }
    }

    private static func failure(_ operation: String, _ path: String) -> BackendError {
        let code = errno
        return code == ENOSPC || code == EDQUOT
            ? .diskFull(path: path, needed: 0)
            : .system(operation: operation, path: path, code: code)
    }
}
