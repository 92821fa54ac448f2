import CLibrary
import CTokyoCabinet

/// What Linux and Darwin do each in their own way.
enum SystemCalls {
    /// Reserves disk space for the first `size` bytes of the file. Returns 0 or an `errno`.
    static func allocate(_ descriptor: Int32, upTo size: UInt64) -> Int32 {
        guard let length = off_t(exactly: size) else { return EFBIG }
        guard length > 0 else { return 0 }
        #if canImport(Darwin)
            var status = stat()
            guard fstat(descriptor, &status) == 0 else { return errno }
            guard length > status.st_size else { return 0 }
            var wish = fstore_t(
                fst_flags: UInt32(F_ALLOCATEALL), fst_posmode: F_PEOFPOSMODE,
                fst_offset: 0, fst_length: length - status.st_size, fst_bytesalloc: 0)
            // File systems without preallocation refuse; the writes that follow then find out.
            if fcntl(descriptor, F_PREALLOCATE, &wish) == -1, errno == ENOSPC || errno == EDQUOT {
                return errno
            }
            return ftruncate(descriptor, length) == 0 ? 0 : errno
        #else
            while true {
                let code = posix_fallocate(descriptor, 0, length)
                if code != EINTR { return code }
            }
        #endif
    }

    /// Brings data, and what is needed to find it, to the device. Returns 0, or -1 with `errno`.
    static func sync(_ descriptor: Int32) -> Int32 {
        #if canImport(Darwin)
            // Plain fsync stops at the drive's cache there. File systems that have no better
            // answer.
            if unlessInterrupted({ fcntl(descriptor, F_FULLFSYNC) }) == 0 { return 0 }
            guard errno == ENOTSUP || errno == EINVAL || errno == ENOTTY else { return -1 }
            return unlessInterrupted { fsync(descriptor) }
        #else
            return unlessInterrupted { fdatasync(descriptor) }
        #endif
    }

    /// Child processes do not get this descriptor, which the library opened without that flag.
    static func keepFromChildren(_ descriptor: Int32) {
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    }

    /// Has the device begin to write, where the system can be asked to; waits for nothing.
    static func beginWriteBack(_ descriptor: Int32) { cabinet_begin_writing(descriptor) }

    /// Drops the first `size` bytes from the page cache, on systems with a call for it.
    static func letGo(_ descriptor: Int32, upTo size: UInt64) {
        #if !canImport(Darwin)
            guard let length = off_t(exactly: size) else { return }
            _ = posix_fadvise(descriptor, 0, length, POSIX_FADV_DONTNEED)
        #endif
    }

    /// What tells this boot of the machine from every other; empty if nothing does.
    static func bootIdentifier() -> String {
        #if canImport(Darwin)
            var length = 64
            var text = [UInt8](repeating: 0, count: length)
            guard sysctlbyname("kern.bootsessionuuid", &text, &length, nil, 0) == 0 else {
                return ""
            }
            return String(decoding: text.prefix(length).prefix { $0 != 0 }, as: UTF8.self)
        #else
            return String(
                contentsOfSmallFile("/proc/sys/kernel/random/boot_id").prefix { $0 != "\n" })
        #endif
    }

    #if !canImport(Darwin)
        static func contentsOfSmallFile(_ path: String) -> String {
            let descriptor = unlessInterrupted { open(path, O_RDONLY | O_CLOEXEC) }
            guard descriptor >= 0 else { return "" }
            defer { _ = close(descriptor) }
            var bytes = [UInt8](repeating: 0, count: 4096)
            let count = unlessInterrupted { read(descriptor, &bytes, bytes.count) }
            return String(decoding: bytes.prefix(max(count, 0)), as: UTF8.self)
        }
    #endif
}
