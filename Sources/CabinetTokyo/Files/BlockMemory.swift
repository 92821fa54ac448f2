import CLibrary
import CabinetBackend

/// Memory for a block of any size. Running out of it is an error, not the end of the process.
///
/// Not `Sendable`: it belongs to one reader or writer.
final class BlockMemory {
    // Unchecked, because nothing calls back into this memory: the check took a third of a step of a
    // walk.
    @exclusivity(unchecked) private(set) var base: UnsafeMutableRawPointer
    @exclusivity(unchecked) private(set) var capacity: Int

    /// - Throws: ``BackendError/system(operation:path:code:)``; `path` is that of the file that the
    ///   memory is for.
    init(capacity: Int, path: String) throws(BackendError) {
        let room = max(capacity, 64)
        guard let memory = malloc(room) else {
            throw .system(operation: "malloc", path: path, code: ENOMEM)
        }
        base = memory
        self.capacity = room
    }

    deinit { free(base) }

    /// Ensures that `count` bytes fit. Keeps what was written before; pointers into it are invalid
    /// then.
    @inline(__always)
    func reserve(_ count: Int, path: String) throws(BackendError) {
        if count > capacity { try grow(to: count, path: path) }
    }

    private func grow(to count: Int, path: String) throws(BackendError) {
        let room = count + min(count / 4, 1 << 20)
        guard let memory = realloc(base, room) else {
            throw .system(operation: "malloc", path: path, code: ENOMEM)
        }
        base = memory
        capacity = room
    }

    func bytes(_ range: Range<Int>) -> UnsafeMutableRawBufferPointer {
        UnsafeMutableRawBufferPointer(start: base + range.lowerBound, count: range.count)
    }
}
