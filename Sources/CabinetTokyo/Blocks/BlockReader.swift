import CChecksum
import CLibrary
import CabinetBackend

/// Reads the blocks of a file, one at a time, from anywhere.
///
/// Not `Sendable`: it belongs to one walk.
final class BlockReader {
    let files: any FileLayer
    let file: OpenFile
    private let fileSum: UInt32
    private let allowsDeletes: Bool
    private let raw: BlockMemory
    private let stored: BlockMemory
    /// Sealed bytes, until they are opened; `nil` where nothing is sealed.
    private let sealed: BlockMemory?
    private let sealer: (any Sealer)?
    private var inflater: Inflater?

    // Unchecked, because nothing calls back into a reader: checks took a tenth of a compaction.

    /// The header of the block that was read last, and its entries not taken yet.
    @exclusivity(unchecked) private(set) var header: BlockHeader?
    @exclusivity(unchecked) private var entries = UnsafeRawBufferPointer(start: nil, count: 0)
    @exclusivity(unchecked) private var position = 0
    @exclusivity(unchecked) private var taken: UInt32 = 0
    private var blockOffset: UInt64 = 0

    init(
        files: any FileLayer, file: OpenFile, fileSum: UInt32, allowsDeletes: Bool
    ) throws(BackendError) {
        self.files = files
        self.file = file
        self.fileSum = fileSum
        self.allowsDeletes = allowsDeletes
        raw = try BlockMemory(capacity: 4096, path: file.path)
        stored = try BlockMemory(capacity: 64, path: file.path)
        sealer = files.sealer
        sealed = sealer == nil ? nil : try BlockMemory(capacity: 64, path: file.path)
    }

    /// Reads the block at `offset`, which must end at `end` or before. Returns where it ends.
    func read(at offset: UInt64, before end: UInt64) throws(BackendError) -> UInt64 {
        let (header, bytes, blockEnd) = try readStored(at: offset, before: end)
        let body = offset + UInt64(BlockHeader.size)
        let rawLength = Int(header.rawLength)
        if header.isDeflated {
            try raw.reserve(rawLength, path: file.path)
            try inflate(bytes, to: rawLength, body: body)
        }
        self.header = header
        entries = UnsafeRawBufferPointer(raw.bytes(0..<rawLength))
        position = 0
        taken = 0
        blockOffset = offset
        return blockEnd
    }

    /// The block at `offset`, which must end at `end` or before, as it is stored, but opened if it is
    /// sealed, and where it ends. The bytes live until something else is read.
    func readStored(
        at offset: UInt64, before end: UInt64
    ) throws(BackendError) -> (header: BlockHeader, bytes: UnsafeRawBufferPointer, end: UInt64) {
        let header = try readHeader(at: offset, before: end)
        let body = offset + UInt64(BlockHeader.size)
        let length = Int(header.storedLength)
        let target = header.isDeflated ? stored : raw
        let source = sealed ?? target
        try source.reserve(length, path: file.path)
        try readFully(source.bytes(0..<length), at: body)
        guard cabinet_crc32c(0, source.base, length) == header.storedSum else {
            throw .corrupt(path: file.path, offset: body)
        }
        let bytes = UnsafeRawBufferPointer(source.bytes(0..<length))
        guard let sealer else { return (header, bytes, body + header.storedLength) }
        var opened = header
        opened.isSealed = false
        opened.storedLength -= UInt64(SealedPiece.overhead)
        try target.reserve(length, path: file.path)
        let isRight = opened.withBinding(fileSum: fileSum, offset: offset) {
            sealer.open(bytes, boundTo: $0, to: target.base)
        }
        guard isRight else { throw .corrupt(path: file.path, offset: body) }
        return (
            opened, UnsafeRawBufferPointer(target.bytes(0..<Int(opened.storedLength))),
            body + header.storedLength
        )
    }

    /// The next entry of the block; `nil` at its end. Its bytes live until the next block is read.
    @inline(__always)
    func next() throws(BackendError) -> TableEntry? {
        guard let header else { return nil }
        if taken == header.count {
            guard position == entries.count else { throw damage }
            return nil
        }
        guard let entry = EntryCoder.decode(entries, at: &position, group: header.group),
            allowsDeletes || entry.stored != nil
        else { throw damage }
        taken += 1
        return entry
    }

    /// Says that the block that was read last holds what it cannot.
    var damage: BackendError { .corrupt(path: file.path, offset: blockOffset) }

    private func readHeader(
        at offset: UInt64, before end: UInt64
    ) throws(BackendError) -> BlockHeader {
        guard end >= offset, end - offset >= UInt64(BlockHeader.size) else {
            throw .corrupt(path: file.path, offset: offset)
        }
        try readFully(raw.bytes(0..<BlockHeader.size), at: offset)
        let room = end - offset - UInt64(BlockHeader.size)
        guard let header = BlockHeader(at: raw.base, fileSum: fileSum, offset: offset),
            header.isPossible(room: room), header.isSealed == (sealer != nil)
        else { throw .corrupt(path: file.path, offset: offset) }
        return header
    }

    private func readFully(
        _ bytes: UnsafeMutableRawBufferPointer, at offset: UInt64
    ) throws(BackendError) {
        guard try files.read(file, at: offset, into: bytes) == bytes.count else {
            throw .corrupt(path: file.path, offset: offset)
        }
    }

    private func inflate(
        _ source: UnsafeRawBufferPointer, to rawLength: Int, body: UInt64
    ) throws(BackendError) {
        if inflater == nil { inflater = Inflater() }
        guard let inflater else {
            throw .system(operation: "inflateInit", path: file.path, code: ENOMEM)
        }
        guard inflater.inflate(source, into: raw.bytes(0..<rawLength)) else {
            throw .corrupt(path: file.path, offset: body)
        }
    }
}
