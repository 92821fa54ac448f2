import CabinetBackend

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A view file mapped for reading, without Tokyo Cabinet and so without a change to the file.
final class FileMap {
    let base: UnsafeRawPointer
    let size: UInt64

    /// `nil`: there is no such file, it is empty, or it cannot be mapped.
    init?(path: String) {
        let descriptor = unlessInterrupted { open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) }
        guard descriptor >= 0 else { return nil }
        defer { _ = close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
            status.st_size > 0,
            let memory = mmap(nil, Int(status.st_size), PROT_READ, MAP_SHARED, descriptor, 0),
            memory != MAP_FAILED
        else { return nil }
        base = UnsafeRawPointer(memory)
        size = UInt64(status.st_size)
    }

    deinit { _ = munmap(UnsafeMutableRawPointer(mutating: base), Int(size)) }

    /// Has the system enter all of the pages that are in memory at once, where it can be asked to: a
    /// fault for every sixteen of them takes longer than summing them.
    func fetch() { SystemCalls.populate(UnsafeMutableRawPointer(mutating: base), Int(size)) }

    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: base, count: Int(size)) }
}
