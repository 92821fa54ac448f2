import CLibrary
import CabinetBackend
import Foundation

/// A file that is written from front to back, under a name of its own until it is whole.
final class WrittenFile {
    private let path: String
    private let temporary: String
    private var descriptor: Int32
    private var waiting: [UInt8] = []

    init(_ url: URL) throws(BackendError) {
        path = try pathOfFile(url)
        temporary = "\(path).\(UUID().uuidString).partial"
        let path = temporary
        descriptor = retrying { open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644) }
        if descriptor < 0 { throw failure("open") }
    }

    deinit {
        guard descriptor >= 0 else { return }
        _ = close(descriptor)
        _ = unlink(temporary)
    }

    func write(_ text: String) throws(BackendError) {
        waiting.append(contentsOf: text.utf8)
        if waiting.count >= 1 << 18 { try writeOut() }
    }

    /// Gives the file its name, in place of whatever had it.
    func finish() throws(BackendError) {
        try writeOut()
        let descriptor = descriptor
        guard retrying({ fsync(descriptor) }) == 0 else { throw failure("fsync") }
        self.descriptor = -1
        guard close(descriptor) == 0, rename(temporary, path) == 0 else {
            let error = failure("rename")
            _ = unlink(temporary)
            throw error
        }
    }

    private func writeOut() throws(BackendError) {
        var start = 0
        while start < waiting.count {
            let descriptor = descriptor
            let count = waiting.withUnsafeBytes { bytes in
                let rest = UnsafeRawBufferPointer(rebasing: bytes[start...])
                return retrying { CLibrary.write(descriptor, rest.baseAddress, rest.count) }
            }
            guard count > 0 else { throw failure("write") }
            start += count
        }
        waiting.removeAll(keepingCapacity: true)
    }

    private func failure(_ operation: String) -> BackendError {
        exchangeFailure(operation, path)
    }
}

/// A file that is read from front to back, 64 KiB at a time.
final class ReadFile: ByteSource {
    /// How many bytes the file has.
    let size: Int
    private let path: String
    private let descriptor: Int32

    init(_ url: URL) throws(BackendError) {
        let path = try pathOfFile(url)
        self.path = path
        descriptor = retrying { open(path, O_RDONLY | O_CLOEXEC) }
        guard descriptor >= 0 else {
            size = 0
            throw exchangeFailure("open", path)
        }
        let end = lseek(descriptor, 0, SEEK_END)
        size = max(Int(end), 0)
        _ = lseek(descriptor, 0, SEEK_SET)
    }

    deinit { if descriptor >= 0 { _ = close(descriptor) } }

    func next() throws -> [UInt8] {
        var failed = false
        let bytes = [UInt8](unsafeUninitializedCapacity: 1 << 16) { room, filled in
            let count = retrying { read(descriptor, room.baseAddress, room.count) }
            failed = count < 0
            filled = max(count, 0)
        }
        if failed { throw exchangeFailure("read", path) }
        return bytes
    }
}

/// The path of a file URL; any other URL is refused.
private func pathOfFile(_ url: URL) throws(BackendError) -> String {
    guard url.isFileURL else {
        throw .system(operation: "open", path: url.absoluteString, code: EINVAL)
    }
    return url.path(percentEncoded: false)
}

private func retrying<Result: SignedInteger>(_ body: () -> Result) -> Result {
    while true {
        let result = body()
        if result != -1 || errno != EINTR { return result }
    }
}

/// What the system's last error means for `operation` on `path`.
private func exchangeFailure(_ operation: String, _ path: String) -> BackendError {
    switch errno {
    case ENOSPC, EDQUOT: .diskFull(path: path, needed: 0)
    case EACCES, EPERM, EROFS: .accessDenied(path: path)
    case let code: .system(operation: operation, path: path, code: code)
    }
}
