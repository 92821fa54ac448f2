import CLibrary
import CabinetBackend
import Synchronization

/// What the index and the blocks of a sealed run say, in memory, each at its offset in the file: a block is
/// opened when it is first read, and stays until the run goes. Pages of blocks that were not read take no
/// memory.
///
/// `@unchecked Sendable`: a block is written once, under the lock, before ``Run`` says that it was seen, and
/// only read from then on.
final class OpenedBlocks: @unchecked Sendable {
    let base: UnsafeMutableRawPointer
    private let size: Int
    private let sealer: any Sealer
    private let identity: RunIdentity
    private let number: UInt64
    private let lock = Lock()

    init(
        _ sealer: any Sealer, _ header: RunHeader, size: UInt64, path: String
    ) throws(BackendError) {
        self.sealer = sealer
        self.size = Int(size)
        identity = header.identity
        number = header.number
        let memory = mmap(
            nil, Int(size), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANON | MAP_NORESERVE, -1, 0)
        guard let memory, memory != MAP_FAILED else {
            throw .system(operation: "mmap", path: path, code: errno)
        }
        base = memory
    }

    deinit { munmap(base, size) }

    /// Opens a block, unless it is there by now. `false`: it is not what was sealed.
    ///
    /// - Parameters:
    ///   - isThere: whether it was opened already, asked under the lock.
    ///   - finish: says whether it is right, and takes note of it, under the lock.
    func open(
        _ piece: UnsafeRawBufferPointer, at offset: Int, isThere: () -> Bool, finish: () -> Bool
    ) -> Bool {
        lock.withLock {
            if isThere() { return true }
            guard
                sealer.open(
                    piece, identity.binding(number: number, offset: UInt64(offset)),
                    to: base + offset)
            else { return false }
            atomicMemoryFence(ordering: .releasing)
            return finish()
        }
    }

    /// Whether a block is what was sealed.
    func isSound(_ piece: UnsafeRawBufferPointer, at offset: Int) -> Bool {
        guard piece.count >= SealedPiece.overhead else { return false }
        let room = UnsafeMutableRawBufferPointer.allocate(byteCount: piece.count, alignment: 16)
        defer { room.deallocate() }
        guard let target = room.baseAddress else { return false }
        return sealer.open(
            piece, identity.binding(number: number, offset: UInt64(offset)), to: target)
    }

    /// Opens the index to where it stands in the file.
    func openIndex(
        _ piece: UnsafeRawBufferPointer, boundTo binding: [UInt8], at offset: Int
    ) -> UnsafeRawBufferPointer? {
        guard piece.count >= SealedPiece.overhead,
            binding.withUnsafeBytes({ sealer.open(piece, boundTo: $0, to: base + offset) })
        else { return nil }
        return UnsafeRawBufferPointer(
            start: base + offset, count: piece.count - SealedPiece.overhead)
    }
}

extension RunIdentity {
    /// What a block of a run is bound to.
    func binding(number: UInt64, offset: UInt64) -> SealBinding {
        SealBinding(.runBlock, table, store, number, offset)
    }
}

extension RunFooter {
    /// What the index of a sealed run is bound to: the header, and the footer without what it says of the index.
    func indexBinding(_ header: UnsafeRawPointer, fileSum: UInt32) -> [UInt8] {
        var fixed = self
        (fixed.indexLength, fixed.indexSum) = (0, 0)
        var bytes = [UInt8](UnsafeRawBufferPointer(start: header, count: RunHeader.size))
        bytes += [UInt8](unsafeUninitializedCapacity: Self.size) { room, count in
            if let base = UnsafeMutableRawBufferPointer(room).baseAddress {
                fixed.encode(to: base, at: indexOffset, fileSum: fileSum)
            }
            count = Self.size
        }
        return bytes
    }
}
