import CLibrary
import CabinetBackend
import Foundation

/// A file that is written from front to back, under another name until it is whole. It is locked
/// meanwhile: one without a lock was left by a killed process, and the next file of that path
/// removes it. A file or a link of that name is replaced; a pipe or a device is written as it is.
final class WrittenFile {
    private let path: String
    /// `nil`: the file has its own name.
    private var temporary: String?
    private var descriptor: Int32
    private var waiting: [UInt8] = []

    init(_ url: URL) throws(BackendError) {
        let path = try pathOfFile(url)
        self.path = path
        var status = stat()
        if stat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG {
            descriptor = retrying { open(path, O_WRONLY | O_CLOEXEC) }
            if descriptor < 0 { throw failure("open") }
            return
        }
        Self.removeLeft(of: path)
        repeat {
            let name = "\(path).\(UUID().uuidString)\(Self.suffix)"
            (temporary, descriptor) = (
                name, retrying { open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600) }
            )
            if descriptor < 0 { throw failure("open") }
            // Before it was locked, another process may have taken it for one that was left.
            if Self.lock(descriptor, at: name) { break }
            _ = close(descriptor)
        } while true
    }

    private static let suffix = ".partial"

    /// Whether the file is locked now, and still has that name. Where there are no locks, so are all.
    private static func lock(_ descriptor: Int32, at path: String) -> Bool {
        if flock(descriptor, LOCK_EX | LOCK_NB) != 0 { return errno != EWOULDBLOCK }
        var (opened, named) = (stat(), stat())
        return fstat(descriptor, &opened) == 0 && lstat(path, &named) == 0
            && opened.st_ino == named.st_ino && opened.st_dev == named.st_dev
    }

    /// Removes the files for `path` that no process is writing any more.
    private static func removeLeft(of path: String) {
        let slash = path.lastIndex(of: "/")
        let directory = slash.map { String(path[...$0]) } ?? ""
        let base = (slash.map { String(path[path.index(after: $0)...]) } ?? path) + "."
        let names = try? FileManager.default.contentsOfDirectory(
            atPath: directory.isEmpty ? "." : directory)
        for name in names ?? [] where name.hasPrefix(base) && name.hasSuffix(suffix) {
            guard UUID(uuidString: String(name.dropFirst(base.count).dropLast(suffix.count))) != nil
            else { continue }
            let left = directory + name
            let descriptor = open(left, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC)
            guard descriptor >= 0 else { continue }
            if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { _ = unlink(left) }
            _ = close(descriptor)
        }
    }

    deinit {
        guard descriptor >= 0 else { return }
        _ = close(descriptor)
        if let temporary { _ = unlink(temporary) }
    }

    func write(_ text: String) throws(BackendError) {
        waiting.append(contentsOf: text.utf8)
        if waiting.count >= 1 << 18 { try writeOut() }
    }

    /// Gives the file its name, in place of what had it.
    func finish() throws(BackendError) {
        try writeOut()
        let descriptor = descriptor
        guard let temporary else {
            self.descriptor = -1
            guard close(descriptor) == 0 else { throw failure("close") }
            return
        }
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
