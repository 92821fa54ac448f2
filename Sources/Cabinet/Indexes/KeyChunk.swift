import CabinetBackend

/// Keys that a builder is about to put into the table of an index, or to delete from it.
///
/// They are collected before a batch is made of them, as a large batch has the writer's turn from its
/// first megabyte on.
final class KeyChunk {
    /// A chunk is committed when it has this many bytes, or this many keys while nothing else commits.
    static let (sizeLimit, countLimit) = (32 << 20, 1 << 18)

    /// So many keys a chunk has beside saves, which wait for no more than these. Fewer cost more: only a
    /// batch of more than a megabyte becomes a sorted run of its own, and while the builder's frozen
    /// reader is held, each key that becomes none is noted.
    static let leastLimit = 1 << 16

    enum Kind: UInt32 {
        case put = 0
        /// Its row is its value.
        case putAlone = 0x4000_0000
        /// The same, over a key that another row has had.
        case putOver = 0xC000_0000
        case delete = 0x8000_0000
    }

    private static let header = 8
    private let buffer = DataBuffer()
    private(set) var count = 0

    private let greatestLimit: Int
    private var limit: Int

    /// - Parameter limit: how many keys a chunk has at most.
    init(limit: Int) {
        greatestLimit = limit
        self.limit = min(limit, Self.leastLimit)
        buffer.sizeLimit = .max
    }

    /// Chooses how large the next chunk is: twice as large as the last one while nothing else commits,
    /// otherwise as small as can be.
    func adapt(toOthers haveCommitted: Bool) {
        limit = min(haveCommitted ? Self.leastLimit : limit * 2, greatestLimit)
    }

    var isEmpty: Bool { count == 0 }
    var isFull: Bool { count >= limit || buffer.count >= Self.sizeLimit }

    func removeAll() {
        buffer.removeAll()
        count = 0
    }

    func append(_ kind: Kind, _ key: UnsafeRawBufferPointer, of row: RowID) {
        guard let place = buffer.extend(by: Self.header + key.count) else { return }
        place.storeBytes(of: row.rawValue, as: UInt32.self)
        (place + 4).storeBytes(of: UInt32(key.count) | kind.rawValue, as: UInt32.self)
        if let bytes = key.baseAddress {
            (place + Self.header).copyMemory(from: bytes, byteCount: key.count)
        }
        count += 1
    }

    /// Calls `body` with each key, in the order in which they were added.
    @inline(__always)
    func forEachKey(_ body: (Kind, RowID, UnsafeRawBufferPointer) throws -> Void) rethrows {
        let memory = UnsafeRawBufferPointer(buffer.memory)
        guard let base = memory.baseAddress else { return }
        var offset = 0
        while offset < memory.count {
            let row = RowID((base + offset).loadUnaligned(as: UInt32.self))
            let word = (base + offset + 4).loadUnaligned(as: UInt32.self)
            let kind = Kind(rawValue: word & 0xC000_0000) ?? .put
            let length = Int(word & 0x3FFF_FFFF)
            try body(
                kind, row,
                UnsafeRawBufferPointer(start: base + offset + Self.header, count: length))
            offset += Self.header + length
        }
    }

    /// Adds the changes of all rows but `left` to a batch.
    /// - Parameter records: the table whose rows must be unchanged since the batch's basis; `nil` for a
    ///   batch without one.
    func write(
        to batch: WriteBatch, _ table: TableNumber, rowsOf records: TableNumber?,
        except left: RowSet
    ) throws {
        batch.expect(count, in: table)
        var last = RowID.none
        try forEachKey { kind, row, key in
            if left.contains(row) { return }
            if let records, row != last { batch.require(.unchanged, row: row, in: records) }
            last = row
            switch kind {
            case .put:
                try batch.put(UnsafeRawBufferPointer(start: nil, count: 0), for: key, in: table)
            case .putAlone, .putOver:
                if kind == .putAlone { batch.require(.absent, key: key, in: table) }
                try IndexValue.withBytes(of: row, isAlone: true) {
                    try batch.put($0, for: key, in: table)
                }
            case .delete: try batch.deleteKey(key, in: table)
            }
        }
    }

    /// The first two rows that are to get the same key alone; `nil`: all keys differ.
    func duplicate() -> (row: RowID, by: RowID)? {
        var hashes: [Int: RowID] = [:]
        hashes.reserveCapacity(count)
        var found: (RowID, RowID)?
        forEachKey { kind, row, key in
            guard found == nil, kind == .putAlone || kind == .putOver else { return }
            var hasher = Hasher()
            hasher.combine(bytes: key)
            // Of two that share a sum, the former one is found by looking at all.
            guard hashes.updateValue(row, forKey: hasher.finalize()) != nil else { return }
            forEachKey { otherKind, other, otherKey in
                if otherKind == kind, found == nil, other != row, otherKey.elementsEqual(key) {
                    found = (row, other)
                }
            }
        }
        return found
    }
}
