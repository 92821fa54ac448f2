import CabinetBackend

/// Writes a run: entries by ``append(_:value:weight:)``, in the order of their keys, then
/// ``finish(_:)``, then ``sync()``, and then the caller gives the file its name.
///
/// Until `finish` has returned no reader takes the file for a run, and after a throw the caller
/// removes it. Not `Sendable`: it belongs to one thread at a time. It takes about 1.1 MiB of
/// memory, and 50 bytes for each block.
final class RunWriter {
    let output: RunOutput
    let header: RunHeader
    let fileSum: UInt32
    private let limit: Int
    var index = RunIndexBuilder()
    var footer = RunFooter()

    // Unchecked, because nothing calls back into a writer.

    /// The key that was appended last.
    private let last: BlockMemory
    @exclusivity(unchecked) private var lastCount = 0
    @exclusivity(unchecked) private(set) var block = OpenBlock()
    @exclusivity(unchecked) private(set) var entries = 0
    @exclusivity(unchecked) private(set) var deletes = 0
    @exclusivity(unchecked) private(set) var keyBytes = 0
    @exclusivity(unchecked) private(set) var valueBytes = 0
    /// Offset and weight, four bytes for each group of the block but the first.
    private let restarts: BlockMemory
    let sealer: (any Sealer)?
    /// A block while it is sealed; `nil` where nothing is.
    let piece: BlockMemory?

    /// The block that is being filled.
    struct OpenBlock {
        var offset: UInt64 = 0
        var entries = 0
        var entriesInGroup = 0
        var restarts = 0
        var weight = 0
        var greatestWeight = 0
        var firstCount = 0
        /// How many bytes the last key shares with the first.
        var sharedWithFirst = 0
        /// How many bytes the first keys of all groups but the first share with it.
        var common = 0
    }

    /// An entry of more bytes has a block of its own, which never lies in the buffer as a whole.
    private static let largestInside = 32 << 10

    /// Begins a run at `path`, replacing what is there.
    ///
    /// - Parameters:
    ///   - blockLimit: how many bytes make a block full, at most 32 KiB.
    ///   - number: distinguishes this file from others of the same table; random.
    init(
        files: any FileLayer, path: String, identity: RunIdentity,
        blockLimit: Int = RunBlock.usualSize, number: UInt64 = .random(in: 0...(.max))
    ) throws(BackendError) {
        precondition(blockLimit <= Self.largestInside, "a block has at most 32 KiB")
        limit = blockLimit
        header = RunHeader(
            identity: identity, span: CommitSpan(from: 0, to: 0), number: number,
            isSealed: files.sealer != nil)
        sealer = files.sealer
        piece = sealer == nil ? nil : try BlockMemory(capacity: 2 * blockLimit, path: path)
        fileSum = header.fileSum
        last = try BlockMemory(capacity: 1024, path: path)
        restarts = try BlockMemory(capacity: blockLimit, path: path)
        output = try RunOutput(files, path, spare: 2 * Self.largestInside + 2 * blockLimit)
        output.end.initializeMemory(as: UInt8.self, repeating: 0, count: RunHeader.size)
        output.take(RunHeader.size)
        block.offset = output.offset
    }

    /// Adds an entry; `nil` is a delete.
    ///
    /// - Parameters:
    ///   - key: after all keys before it.
    ///   - weight: +1 or 0 for a put, −1 for a delete.
    /// - Throws: also ``BackendError/corrupt(path:offset:)`` for another order or another weight:
    ///   what the entries come from is damaged.
    func append(
        _ key: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer?, weight: Int8
    ) throws(BackendError) {
        let valueCount = value?.count ?? 0
        let kind = UInt8(truncatingIfNeeded: 1 &- Int(weight))
        guard kind <= 2, (kind == RunSlot.delete) == (value == nil) else { throw damage }
        var shared = 0
        if entries > 0, let bytes = key.baseAddress {
            let limit = min(lastCount, key.count)
            shared = RunBytes.common(last.base, bytes, upTo: limit)
            guard
                shared < limit
                    ? bytes.get(UInt8.self, at: shared)
                        > last.base.load(
                            fromByteOffset: shared, as: UInt8.self)
                    : key.count > lastCount
            else { throw damage }
        } else if entries > 0 {
            throw damage
        }
        entries &+= 1
        if kind == RunSlot.delete { deletes &+= 1 }
        keyBytes &+= key.count
        valueBytes &+= valueCount
        let space = key.count &- shared &+ valueCount &+ RunSlot.longestHead &+ RunBlock.trailer
        if block.entries > 0,
            used &+ space &+ RunBlock.groupTrailer &* (block.restarts &+ 1) > limit
        {
            try finishBlock()
        }
        if block.entries == 0 {
            begin(key, shared: shared)
            if key.count &+ valueCount > Self.largestInside {
                try remember(key, from: shared)
                return try appendLarge(key, value, kind)
            }
            write(key, value, shared: 0, base: nil, kind)
        } else if block.entriesInGroup == RunBlock.groupSize {
            let sharedWithFirst = min(block.sharedWithFirst, shared)
            restarts.base.put(UInt16(truncatingIfNeeded: used), at: 4 &* block.restarts)
            restarts.base.put(
                Int16(truncatingIfNeeded: block.weight), at: 4 &* block.restarts &+ 2)
            block.restarts &+= 1
            block.entriesInGroup = 0
            block.sharedWithFirst = sharedWithFirst
            block.common = sharedWithFirst
            write(key, value, shared: sharedWithFirst, base: block.firstCount, kind)
        } else {
            block.sharedWithFirst = min(block.sharedWithFirst, shared)
            write(key, value, shared: shared, base: lastCount, kind)
        }
        try remember(key, from: shared)
    }

    private var used: Int { Int(truncatingIfNeeded: output.offset &- block.offset) }

    private var damage: BackendError { .corrupt(path: output.path, offset: output.offset) }

    /// Keeps the key for the next one, whose first `shared` bytes are there already.
    @inline(__always)
    private func remember(
        _ key: UnsafeRawBufferPointer, from shared: Int
    ) throws(BackendError) {
        if let bytes = key.baseAddress {
            try last.reserve(key.count, path: output.path)
            (last.base + shared).copyMemory(from: bytes + shared, byteCount: key.count &- shared)
        }
        lastCount = key.count
    }

    /// Begins a block with `key`, which shares bytes with the last key of the block before.
    private func begin(_ key: UnsafeRawBufferPointer, shared: Int) {
        block.firstCount = key.count
        block.sharedWithFirst = key.count
        let length = index.count == 0 ? 0 : shared + 1
        index.begin(UnsafeRawBufferPointer(rebasing: key.prefix(length)))
    }

    /// Writes an entry into the buffer, which has space for a block and more.
    @inline(__always)
    private func write(
        _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer?, shared: Int, base: Int?,
        _ kind: UInt8
    ) {
        let target = output.end
        let rest = key.count &- shared
        var at = RunSlot.writeHead(
            to: target, shared: shared, rest: rest, base: base, valueCount: value?.count ?? 0,
            kind: kind)
        if rest > 0, let bytes = key.baseAddress {
            (target + at).copyMemory(from: bytes + shared, byteCount: rest)
            at &+= rest
        }
        if let value, let bytes = value.baseAddress {
            (target + at).copyMemory(from: bytes, byteCount: value.count)
            at &+= value.count
        }
        output.take(at)
        count(kind)
    }

    @inline(__always)
    func count(_ kind: UInt8) {
        block.entries &+= 1
        block.entriesInGroup &+= 1
        block.weight &+= 1 &- Int(kind)
        block.greatestWeight = max(block.greatestWeight, block.weight)
    }

    func finishBlock() throws(BackendError) {
        guard block.entries > 0 else { return }
        let base = output.bytes(from: block.offset)
        let size = 4 * block.restarts
        for group in 0..<block.restarts { writePrefix(of: group, base) }
        (output.end + size).copyMemory(from: restarts.base, byteCount: size)
        output.end.put(UInt32(truncatingIfNeeded: block.common), at: 2 * size)
        output.end.put(UInt32(truncatingIfNeeded: block.restarts), at: 2 * size + 4)
        output.take(2 * size + 8)
        output.end.put(
            output.bytes(from: block.offset).checksum(in: fileSum, at: block.offset), at: 0)
        output.take(4)
        try sealBlock()
        try endBlock()
    }

    /// Writes the number of a group, counted from 0 behind the block's first, behind the entries.
    private func writePrefix(of group: Int, _ bytes: UnsafeRawBufferPointer) {
        let offset = Int(UnsafeRawPointer(restarts.base).get(UInt16.self, at: 4 * group))
        guard let base = bytes.baseAddress,
            let first = RunSlot(base, at: 0, before: bytes.count, base: 0),
            let slot = RunSlot(base, at: offset, before: bytes.count, base: first.rest)
        else { preconditionFailure("the writer cannot read what it wrote") }
        output.end.put(slot.prefix(from: block.common, first: first, in: base), at: 4 * group)
    }

    func endBlock() throws(BackendError) {
        index.end(
            offset: block.offset, entries: block.entries, weight: block.weight,
            greatestWeight: block.greatestWeight)
        footer.weight += Int64(block.weight)
        try output.flushIfFull()
        block = OpenBlock()
        block.offset = output.offset
    }
}
