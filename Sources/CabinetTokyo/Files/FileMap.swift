import CLibrary
import CabinetBackend

/// A view file mapped for reading, without Tokyo Cabinet and so without a change to the file.
///
/// The map is of the file and not of its name: it stays whole when the file is renamed or removed.
/// Not when the file is cut: a read behind its new end kills the process.
package final class FileMap {
    let base: UnsafeRawPointer
    let size: UInt64
    /// Which file is mapped.
    let identity: FileIdentity
    private let isMapped: Bool

    /// Takes over `size` bytes of mapped memory.
    init(_ memory: UnsafeMutableRawPointer, size: UInt64, of identity: FileIdentity) {
        base = UnsafeRawPointer(memory)
        self.size = size
        self.identity = identity
        isMapped = true
    }

    /// For a file layer whose files are in memory, which it keeps longer than the map.
    package init(lending memory: UnsafeRawPointer, size: UInt64) {
        base = memory
        self.size = size
        identity = FileIdentity(device: 0, inode: 0)
        isMapped = false
    }

    deinit {
        if isMapped { _ = munmap(UnsafeMutableRawPointer(mutating: base), Int(size)) }
    }

    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: base, count: Int(size)) }

    /// Maps the file at `path`. `nil`: nothing can be read there, for it is missing, empty or no
    /// regular file, or because the device or its permissions refuse.
    ///
    /// - Throws: ``BackendError/system(operation:path:code:)`` if the process has no descriptor or
    ///   no memory left, which says nothing about the file.
    static func reading(
        _ path: String, _ files: any FileLayer
    ) throws(BackendError) -> FileMap? {
        do throws(BackendError) {
            return try files.map(try files.open(path, for: .reading), upTo: .max)
        } catch {
            switch error {
            case .system(_, _, EMFILE), .system(_, _, ENFILE), .system(_, _, ENOMEM),
                .system(_, _, EAGAIN):
                throw error
            default: return nil
            }
        }
    }
}
