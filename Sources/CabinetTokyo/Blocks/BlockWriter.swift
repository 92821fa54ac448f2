import CChecksum
import CLibrary
import CabinetBackend

/// Collects entries into blocks and writes these to a file, one behind the other.
///
/// After a throw the file is to be given up.
struct BlockWriter {
    /// How many bytes of entries make a block full; one entry alone may be larger.
    static let usualLimit = 256 << 10

    let file: OpenFile
    /// Where the next block will begin.
    private(set) var offset: UInt64
    private let files: any FileLayer
    private let fileSum: UInt32
    private let limit: Int
    private let deflater: Deflater?
    /// Room for a header, then entries; and the same deflated.
    private let block: BlockMemory
    private let small: BlockMemory
    /// Room for a header, then sealed bytes; `nil` where nothing is sealed.
    private let sealed: BlockMemory?
    private let sealer: (any Sealer)?
    private var used = BlockHeader.size
    private var count: UInt32 = 0
    private var group: UInt32 = 0

    /// Blocks begin at `offset`; `fileSum` is what their headers know the file by.
    init(
        files: any FileLayer, file: OpenFile, offset: UInt64, fileSum: UInt32,
        limit: Int, deflates: Bool
    ) throws(BackendError) {
        self.files = files
        self.file = file
        self.offset = offset
        self.fileSum = fileSum
        self.limit = limit
        let room = BlockHeader.size + min(limit, Self.usualLimit) + 4096
        block = try BlockMemory(capacity: room, path: file.path)
        small = try BlockMemory(capacity: deflates ? room : 0, path: file.path)
        sealer = files.sealer
        sealed = sealer == nil ? nil : try BlockMemory(capacity: room, path: file.path)
        deflater = deflates ? Deflater() : nil
        if deflates, deflater == nil {
            throw .system(operation: "deflateInit", path: file.path, code: ENOMEM)
        }
    }

    /// Adds an entry. One of another group begins another block.
    @inline(__always)
    mutating func append(_ entry: TableEntry) throws(BackendError) {
        let size = EntryCoder.size(of: entry)
        if count > 0, entry.group != group || used - BlockHeader.size + size > limit {
            try flush()
        }
        guard EntryCoder.canEncode(entry), UInt64(size) <= BlockHeader.largestBlock else {
            throw .system(operation: "pwrite", path: file.path, code: EFBIG)
        }
        try block.reserve(used + size, path: file.path)
        EntryCoder.encode(entry, to: block.base + used)
        group = entry.group
        used += size
        count += 1
    }

    /// Writes out what is collected.
    mutating func flush() throws(BackendError) {
        guard count > 0 else { return }
        let entries = UnsafeRawBufferPointer(block.bytes(BlockHeader.size..<used))
        var source = block.base
        var length = entries.count
        if let smaller = try deflated(entries) {
            source = small.base
            length = smaller
        }
        let header = BlockHeader(
            group: group, isDeflated: length < entries.count, count: count,
            storedSum: cabinet_crc32c(0, source + BlockHeader.size, length),
            rawLength: UInt64(entries.count), storedLength: UInt64(length))
        try write(header, source)
        used = BlockHeader.size
        count = 0
    }

    /// Writes a block whose stored bytes lie behind a header's room at `source`, sealed in a sealed store.
    private mutating func write(
        _ header: BlockHeader, _ source: UnsafeMutableRawPointer
    ) throws(BackendError) {
        var (header, source) = (header, source)
        if let sealer, let sealed {
            let length = Int(header.storedLength)
            let size = length + SealedPiece.overhead
            try sealed.reserve(BlockHeader.size + size, path: file.path)
            header.withBinding(fileSum: fileSum, offset: offset) {
                sealer.seal(
                    UnsafeRawBufferPointer(start: source + BlockHeader.size, count: length),
                    boundTo: $0, to: sealed.base + BlockHeader.size)
            }
            source = sealed.base
            header.isSealed = true
            header.storedLength = UInt64(size)
            header.storedSum = cabinet_crc32c(0, source + BlockHeader.size, size)
        }
        header.encode(to: source, fileSum: fileSum, offset: offset)
        let size = BlockHeader.size + Int(header.storedLength)
        try files.write(UnsafeRawBufferPointer(start: source, count: size), to: file, at: offset)
        offset += UInt64(size)
    }

    /// Adds a whole block that was read from elsewhere, stored as `bytes`, which are not sealed.
    mutating func append(
        _ header: BlockHeader, _ bytes: UnsafeRawBufferPointer
    ) throws(BackendError) {
        try flush()
        let length = BlockHeader.size + bytes.count
        try block.reserve(length, path: file.path)
        block.bytes(BlockHeader.size..<length).copyMemory(from: bytes)
        try write(header, block.base)
    }

    /// How long `entries` are deflated, behind a header's room in `small`; `nil` if no shorter.
    private func deflated(_ entries: UnsafeRawBufferPointer) throws(BackendError) -> Int? {
        guard let deflater, entries.count <= Deflater.largestBlock, entries.count > 1 else {
            return nil
        }
        let room = BlockHeader.size + entries.count - 1
        try small.reserve(room, path: file.path)
        return deflater.deflate(entries, into: small.bytes(BlockHeader.size..<room))
    }
}
