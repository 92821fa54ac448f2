import CLibrary
import CSystem
import CabinetBackend

/// A part of an open file that is mapped for writing: a store costs no call of the system.
///
/// What was stored outlives the process as what was written does, and a sync of the file covers it.
/// The file must not be cut to less than ``end``: a store behind its new end kills the process.
/// `Sendable` as it only holds what was mapped; the thread that has the turn to write stores.
package final class FileWindow: @unchecked Sendable {
    package let file: OpenFile
    /// Which bytes of the file may be stored to.
    package let range: Range<UInt64>
    private let memory: UnsafeMutableRawPointer
    private let size: Int

    /// Fills the bytes with zeros first. `nil`: the system or the file system cannot map them, or
    /// might refuse a store later.
    init?(_ file: OpenFile, _ range: Range<UInt64>) {
        var size = 0
        guard !range.isEmpty,
            let memory = cabinet_map_zeros(
                file.descriptor, range.lowerBound, range.upperBound, &size)
        else { return nil }
        self.file = file
        self.range = range
        self.memory = memory
        self.size = size
    }

    deinit { _ = munmap(memory, size) }

    /// Whether `count` bytes from `offset` on may be stored to.
    package func covers(_ offset: UInt64, _ count: Int) -> Bool {
        offset >= range.lowerBound && offset <= range.upperBound
            && UInt64(count) <= range.upperBound - offset
    }

    /// Stores `bytes`, which the window must cover, the first 8 of them last.
    func store(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) {
        precondition(covers(offset, bytes.count))
        guard let base = bytes.baseAddress else { return }
        let start = range.upperBound - UInt64(size)
        cabinet_store(memory + Int(offset - start), base, bytes.count)
    }
}
