import CLibrary
import CabinetBackend

/// The file layer of the system that the program runs on.
package final class SystemFiles: FileLayer {
    package init() {}

    package func open(_ path: String, for use: FileUse) throws(BackendError) -> OpenFile {
        let flags =
            switch use {
            case .reading: O_RDONLY | O_NONBLOCK
            case .writing: O_RDWR
            case .creating: O_RDWR | O_CREAT
            case .replacing: O_RDWR | O_CREAT | O_TRUNC
            }
        do throws(BackendError) {
            return try open(path, flags: flags | O_NOFOLLOW)
        } catch {
            guard case .system(_, _, ELOOP) = error else { throw error }
            throw .pathTaken(path: path)
        }
    }

    func open(_ path: String, flags: Int32) throws(BackendError) -> OpenFile {
        let descriptor = unlessInterrupted { systemOpen(path, flags | O_CLOEXEC, 0o600) }
        guard descriptor >= 0 else { throw SystemFailure.error("open", path, errno) }
        return OpenFile(path: path, descriptor: descriptor)
    }

    package func size(of file: OpenFile) throws(BackendError) -> UInt64 {
        try status(of: file).size
    }

    package func status(of file: OpenFile) throws(BackendError) -> FileStatus {
        var status = stat()
        guard fstat(file.descriptor, &status) == 0 else {
            throw SystemFailure.error("fstat", file.path, errno)
        }
        return FileStatus(status)
    }

    package func map(_ file: OpenFile, upTo size: UInt64) throws(BackendError) -> FileMap? {
        var status = stat()
        guard fstat(file.descriptor, &status) == 0 else {
            throw SystemFailure.error("fstat", file.path, errno)
        }
        let size = min(UInt64(clamping: status.st_size), size)
        guard status.st_mode & S_IFMT == S_IFREG, size > 0 else { return nil }
        guard let length = Int(exactly: size) else {
            throw SystemFailure.error("mmap", file.path, ENOMEM)
        }
        let memory = mmap(nil, length, PROT_READ, MAP_SHARED, file.descriptor, 0)
        guard let memory, memory != MAP_FAILED else {
            throw SystemFailure.error("mmap", file.path, errno)
        }
        return FileMap(memory, size: size, of: FileStatus(status).identity)
    }

    package func read(
        _ file: OpenFile, at offset: UInt64, into bytes: UnsafeMutableRawBufferPointer
    ) throws(BackendError) -> Int {
        guard let base = bytes.baseAddress, let start = off_t(exactly: offset) else { return 0 }
        var done = 0
        while done < bytes.count {
            let length = min(bytes.count - done, Self.longestTransfer)
            let count = unlessInterrupted {
                pread(file.descriptor, base + done, length, start + off_t(done))
            }
            guard count >= 0 else { throw SystemFailure.error("pread", file.path, errno) }
            guard count > 0 else { break }
            done += count
        }
        return done
    }

    package func write(
        _ bytes: UnsafeRawBufferPointer, to file: OpenFile, at offset: UInt64
    ) throws(BackendError) {
        guard let base = bytes.baseAddress else { return }
        guard let start = off_t(exactly: offset) else {
            throw SystemFailure.error("pwrite", file.path, EFBIG)
        }
        var done = 0
        while done < bytes.count {
            let length = min(bytes.count - done, Self.longestTransfer)
            let count = unlessInterrupted {
                pwrite(file.descriptor, base + done, length, start + off_t(done))
            }
            guard count > 0 else {
                let needed = UInt64(bytes.count - done)
                throw SystemFailure.error(
                    "pwrite", file.path, count < 0 ? errno : EIO, needed: needed)
            }
            done += count
        }
    }

    package func window(of file: OpenFile, _ range: Range<UInt64>) -> FileWindow? {
        FileWindow(file, range)
    }

    package func write(
        _ bytes: UnsafeRawBufferPointer, to window: FileWindow, at offset: UInt64
    ) throws(BackendError) {
        window.store(bytes, at: offset)
    }

    package func truncate(_ file: OpenFile, to size: UInt64) throws(BackendError) {
        guard let length = off_t(exactly: size),
            unlessInterrupted({ ftruncate(file.descriptor, length) }) == 0
        else { throw SystemFailure.error("ftruncate", file.path, errno, needed: size) }
    }

    package func reserve(_ file: OpenFile, upTo size: UInt64) throws(BackendError) {
        let code = SystemCalls.allocate(file.descriptor, upTo: size)
        guard code != 0 else { return }
        var status = stat()
        let isKnown = fstat(file.descriptor, &status) == 0
        let present = isKnown ? min(UInt64(clamping: status.st_size), size) : 0
        throw SystemFailure.error("reserve", file.path, code, needed: size - present)
    }

    package func sync(_ file: OpenFile) throws(BackendError) {
        guard SystemCalls.sync(file.descriptor) == 0 else {
            throw SystemFailure.error("sync", file.path, errno)
        }
    }

    package func beginWriteBack(_ path: String) {
        guard let file = try? open(path, for: .writing) else { return }
        SystemCalls.beginWriteBack(file.descriptor)
    }

    package func letGo(of path: String, upTo size: UInt64) {
        guard let file = try? open(path, for: .reading) else { return }
        SystemCalls.letGo(file.descriptor, upTo: size)
    }

    package func lock(_ file: OpenFile, exclusively: Bool) throws(BackendError) -> Bool {
        let wish = (exclusively ? LOCK_EX : LOCK_SH) | LOCK_NB
        guard unlessInterrupted({ flock(file.descriptor, wish) }) == 0 else {
            if errno == EWOULDBLOCK { return false }
            throw SystemFailure.error("flock", file.path, errno)
        }
        // The last holder may have removed the file since it was opened here. A lock on a file
        // that has no name any more excludes no other process.
        var opened = stat()
        guard fstat(file.descriptor, &opened) == 0 else {
            throw SystemFailure.error("fstat", file.path, errno)
        }
        guard let named = try status(of: file.path) else { return false }
        return named.inode == UInt64(opened.st_ino)
            && named.device == UInt64(truncatingIfNeeded: opened.st_dev)
    }

    package func mountIdentity(of path: String) throws(BackendError) -> MountIdentity {
        let directory = try open(path, flags: O_RDONLY | O_DIRECTORY)
        var status = stat()
        guard fstat(directory.descriptor, &status) == 0 else {
            throw SystemFailure.error("fstat", path, errno)
        }
        return MountIdentity(
            boot: SystemCalls.bootIdentifier(),
            device: UInt64(truncatingIfNeeded: status.st_dev),
            mount: SystemCalls.mountIdentifier(of: directory.descriptor),
            inode: UInt64(status.st_ino))
    }

    /// Darwin refuses transfers of 2 GiB and more, Linux shortens them.
    private static let longestTransfer = 1 << 30
}

/// Calls again for as long as a signal interrupts.
@inline(__always)
func unlessInterrupted<Result: SignedInteger>(_ body: () -> Result) -> Result {
    while true {
        let result = body()
        if result != -1 || errno != EINTR { return result }
    }
}

/// The C call, which takes its mode as an extra argument.
private func systemOpen(_ path: String, _ flags: Int32, _ mode: mode_t) -> Int32 {
    CLibrary.open(path, flags, mode)
}
