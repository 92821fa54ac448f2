import CLibrary
import CabinetBackend

/// A part of an open file, mapped for reading: it takes no memory but the system's copy of the
/// file.
final class FileStretch {
    private let memory: UnsafeMutableRawPointer
    private let length: Int
    let bytes: UnsafeRawBufferPointer

    /// `nil`: the file is shorter, or cannot be mapped.
    init?(_ file: OpenFile, at offset: UInt64, count: Int) {
        let page = UInt64(sysconf(Int32(_SC_PAGESIZE)))
        let start = offset / page * page
        let length = Int(offset - start) + count
        var status = stat()
        guard count > 0, fstat(file.descriptor, &status) == 0,
            UInt64(status.st_size) >= offset + UInt64(count),
            let memory = mmap(
                nil, length, PROT_READ, MAP_SHARED, file.descriptor, off_t(start)),
            memory != MAP_FAILED
        else { return nil }
        self.memory = memory
        self.length = length
        bytes = UnsafeRawBufferPointer(start: memory + Int(offset - start), count: count)
    }

    deinit { _ = munmap(memory, length) }
}
