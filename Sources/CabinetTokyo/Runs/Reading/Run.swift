import CSystem
import CabinetBackend
import Synchronization

/// A layer of an ordered table in a file that never changes: what the commits of ``span`` changed,
/// sorted by key.
///
/// Header, footer and index are checked when the run is opened, a block's sum when the block is
/// first read. Whatever the bytes are, reading gives them or ``BackendError/corrupt(path:offset:)``
/// with the offset of the block. The file stays mapped until the last reference goes, and must not
/// be cut before. Values and cursors refer to the map, so they need the run.
///
/// `Sendable` because nothing changes but the bits of ``seen``, by atomic operations. A bit set
/// says no more than that bytes which never change were found right.
package final class Run: @unchecked Sendable {
    let path: String
    let header: RunHeader
    let footer: RunFooter
    let index: RunIndex
    let fileSum: UInt32
    private let map: FileMap
    /// What the file's bytes say if they are sealed.
    private let opened: OpenedBlocks?
    /// Where blocks are read, each at its offset in the file; and by how much they are shorter there.
    private let base: UnsafeRawPointer
    private let overhead: Int
    /// A bit for each block whose sum was found right.
    private let seen: UnsafeMutablePointer<UInt64>

    /// Opens the run at `path`. `nil`: nothing is there, or a run of another table or store.
    ///
    /// Takes about 30 ns a block, and memory for a bit a block.
    /// - Throws: ``BackendError/corrupt(path:offset:)`` if it is no run, or a damaged one.
    package init?(
        files: any FileLayer, path: String, identity: RunIdentity
    ) throws(BackendError) {
        guard let status = try files.status(of: path), status.isFile else { return nil }
        let file = try files.open(path, for: .reading)
        guard let map = try files.map(file, upTo: .max),
            map.size >= UInt64(RunHeader.size + RunFooter.size)
        else { throw .corrupt(path: path, offset: 0) }
        let header = try RunHeader(map.base, path: path)
        guard header.identity == identity else { return nil }
        try files.checkSealing(header.isSealed, of: path)
        let fileSum = header.fileSum
        let end = Int(map.size) - RunFooter.size
        guard let footer = RunFooter(map.base + end, at: UInt64(end), fileSum: fileSum),
            footer.headerSum == map.base.get(at: 60)
        else { throw .corrupt(path: path, offset: UInt64(end)) }
        let start = Int(footer.indexOffset)
        let bytes = UnsafeRawBufferPointer(rebasing: map.bytes[start..<end])
        var opened: OpenedBlocks?
        if let sealer = files.sealer {
            opened = try OpenedBlocks(sealer, header, size: map.size, path: path)
        }
        guard bytes.checksum(in: fileSum, at: footer.indexOffset) == footer.indexSum,
            let content = opened.map({
                $0.openIndex(
                    bytes, boundTo: footer.indexBinding(map.base, fileSum: fileSum), at: start)
            }) ?? bytes,
            let index = RunIndex(content, footer: footer), index.isSound(footer)
        else { throw .corrupt(path: path, offset: footer.indexOffset) }
        self.opened = opened
        base = opened.map { UnsafeRawPointer($0.base) } ?? map.base
        overhead = opened == nil ? 0 : SealedPiece.overhead
        self.path = path
        self.header = header
        self.footer = footer
        self.index = index
        self.fileSum = fileSum
        self.map = map
        let words = (index.count + 63) / 64
        seen = .allocate(capacity: words)
        seen.initialize(repeating: 0, count: words)
    }

    deinit { seen.deallocate() }

    var span: CommitSpan { header.span }
    /// In bytes.
    var size: UInt64 { map.size }
    /// Which file it is, whatever its name.
    var identityOfFile: FileIdentity { map.identity }
    var entryCount: Int { Int(truncatingIfNeeded: footer.entries) }
    var deleteCount: Int { Int(truncatingIfNeeded: footer.deletes) }
    /// By how much the run changes the number of keys that the layers below give.
    var weightSum: Int { Int(truncatingIfNeeded: footer.weight) }

    /// What the run says about a key.
    package func find(_ key: UnsafeRawBufferPointer) throws(BackendError) -> LayerEntry {
        guard index.count > 0 else { return .absent }
        let number = index.block(of: key)
        let block = try block(number)
        guard let place = block.find(key) else { throw damage(in: number) }
        guard let slot = place.slot else { return .absent }
        if slot.isDelete { return .delete }
        return .value(
            UnsafeRawBufferPointer(start: block.base + slot.valueAt, count: slot.valueCount))
    }

    /// The sum of the weights of all entries before `key`.
    package func rank(of key: UnsafeRawBufferPointer) throws(BackendError) -> Int {
        guard index.count > 0 else { return 0 }
        let number = index.block(of: key)
        guard let place = try block(number).find(key) else { throw damage(in: number) }
        return index.weight(before: number) &+ place.weight
    }

    /// A walk over the entries, at none of them yet.
    package func cursor() throws(BackendError) -> RunCursor { try RunCursor(self) }

    /// A block, whose sum is checked if it was not yet.
    @inline(__always)
    func block(_ number: Int) throws(BackendError) -> RunBlock {
        guard let place = index.place(of: number) else { throw damage(in: number) }
        let isSeen = cabinet_load_relaxed(seen + number &>> 6) &>> UInt64(number & 63) & 1
        if isSeen == 0 {
            try check(number, place)
        } else if overhead != 0 {
            // What another thread has opened is there with the bit that says so.
            atomicMemoryFence(ordering: .acquiring)
        }
        guard let block = RunBlock(base + place.offset, length: place.length &- overhead) else {
            throw damage(in: number)
        }
        return block
    }

    /// Checks the sum of a block, which is opened if it is sealed.
    func check(
        _ number: Int, _ place: (offset: Int, length: Int)
    ) throws(BackendError) {
        guard place.length - overhead > RunBlock.trailer else { throw damage(in: number) }
        guard let opened else {
            guard isRight(place) else { throw damage(in: number) }
            return noteSeen(number)
        }
        let piece = UnsafeRawBufferPointer(start: map.base + place.offset, count: place.length)
        guard !isSeen(number) else {
            guard opened.isSound(piece, at: place.offset) else { throw damage(in: number) }
            return
        }
        let isOpen = opened.open(piece, at: place.offset) {
            isSeen(number)
        } finish: {
            guard isRight(place) else { return false }
            noteSeen(number)
            return true
        }
        guard isOpen else { throw damage(in: number) }
    }

    /// Whether the sum of a block is right, where it is read.
    private func isRight(_ place: (offset: Int, length: Int)) -> Bool {
        let length = place.length - overhead - 4
        let bytes = UnsafeRawBufferPointer(start: base + place.offset, count: length)
        return bytes.checksum(in: fileSum, at: UInt64(place.offset))
            == base.get(UInt32.self, at: place.offset + length)
    }

    private func isSeen(_ number: Int) -> Bool {
        cabinet_load_relaxed(seen + number >> 6) >> UInt64(number & 63) & 1 == 1
    }

    private func noteSeen(_ number: Int) {
        cabinet_set_bits_relaxed(seen + number >> 6, 1 << UInt64(number & 63))
    }

    /// Says that a block holds what it cannot.
    func damage(in block: Int) -> BackendError {
        .corrupt(path: path, offset: UInt64(index.place(of: block)?.offset ?? 0))
    }

    /// How many different blocks were read since the run was opened.
    var blocksRead: Int {
        (0..<(index.count + 63) / 64).reduce(0) { sum, word in
            sum + cabinet_load_relaxed(seen + word).nonzeroBitCount
        }
    }
}

/// For the search of a key by its rank.
extension Run {
    var blockCount: Int { index.count }

    /// A key after all entries of the blocks before a block, and not after its first entry; empty
    /// for the first. It lives as long as the run.
    func separator(of block: Int) -> UnsafeRawBufferPointer { index.separator(of: block) }

    /// The sum of the weights before a block; for ``blockCount``: of all.
    func weight(before block: Int) -> Int { index.weight(before: block) }

    /// The greatest sum of the weights of a block's first entries, over any number of them; 0 if
    /// none is greater.
    func greatestWeight(in block: Int) -> Int { index.greatestWeight(in: block) }
}
