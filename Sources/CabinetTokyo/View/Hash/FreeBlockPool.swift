import CTokyoCabinet

/// The library's list of a file's free blocks, which it keeps in memory while the file is open for
/// writing. In the file it stands behind the buckets: for each block, in the order of offsets, the
/// distance from the one before and the size, both in units of the alignment and as numbers of
/// 7 bits a byte, inverted while more follow; behind the last one two zeros.
enum FreeBlockPool {
    /// Of the library's own entries: UInt64 offset, UInt32 size, padding.
    private static let stride = 16
    /// What the library leaves free at the end of the list.
    private static let reserve = stride + 2

    private struct Block {
        var offset: UInt64
        var size: UInt32
    }

    /// Writes the list to its area in the file, which is mapped. An entry that is no free block in
    /// the file is left out, as the library believes what it reads back: then room is lost, but no
    /// record.
    static func save(_ handle: UnsafeMutablePointer<TCHDB>) {
        let file = handle.pointee
        let mapped = max(file.xmsiz, file.msiz)
        guard let map = file.map.map({ UnsafeMutableRawPointer($0) }), file.frec > file.msiz,
            file.frec <= mapped, file.frec <= file.fsiz
        else { return }
        var address = map + Int(file.msiz)
        var room = Int(file.frec - file.msiz) - reserve
        guard room > 0 else { return }
        var before: UInt64 = 0
        for block in blocks(of: file, map, mapped) where room > 0 {
            let offset = block.offset >> UInt64(file.apow)
            room -= HashImage.writeLength(offset - before, to: &address)
            room -= HashImage.writeLength(UInt64(block.size) >> UInt64(file.apow), to: &address)
            before = offset
        }
        address.storeBytes(of: 0, as: UInt16.self)
    }

    /// The blocks in the order of their offsets. Of too many, neighbours are joined in pairs.
    private static func blocks(
        of file: TCHDB, _ map: UnsafeMutableRawPointer, _ mapped: UInt64
    ) -> [Block] {
        guard let pool = file.fbpool, file.fbpnum > 0 else { return [] }
        var blocks: [Block] = []
        blocks.reserveCapacity(Int(file.fbpnum))
        for index in 0..<Int(file.fbpnum) {
            let entry = UnsafeRawPointer(pool) + index * stride
            let block = Block(
                offset: entry.load(as: UInt64.self),
                size: entry.load(fromByteOffset: 8, as: UInt32.self))
            guard block.offset >= file.frec, block.offset < min(file.fsiz, mapped),
                UInt64(block.size) <= file.fsiz - block.offset,
                map.load(fromByteOffset: Int(block.offset), as: UInt8.self) == HashImage.freeMagic
            else { continue }
            blocks.append(block)
        }
        blocks.sort { $0.offset < $1.offset }
        return file.fbpnum > file.fbpmax ? joined(blocks) : blocks
    }

    private static func joined(_ blocks: [Block]) -> [Block] {
        var joined: [Block] = []
        var index = 0
        while index < blocks.count {
            var block = blocks[index]
            index += 1
            if index < blocks.count, block.offset + UInt64(block.size) == blocks[index].offset {
                let (size, isTooLarge) = block.size.addingReportingOverflow(blocks[index].size)
                if !isTooLarge {
                    block.size = size
                    index += 1
                }
            }
            joined.append(block)
        }
        return joined
    }
}
