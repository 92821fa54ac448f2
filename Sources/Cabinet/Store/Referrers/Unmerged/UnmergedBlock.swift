import CabinetBackend

/// Owners whose references have no keys in the table of referrers yet, and what they refer to: one
/// entry of the table.
///
/// A save of many changed owners writes blocks, which takes it a few bytes an owner and no look at
/// what the owners referred to. ``ReferrerTable/keepInForm(_:)`` enters them as keys later. Of an owner that stands in
/// several blocks the one of the greatest order counts, whatever keys say of it.
///
/// | key | |
/// |---|---|
/// | 1 | 3 |
/// | 8 | UInt64 big-endian, order: the commit that the save was based on, and one more; at least one more than that of the blocks that it saw |
/// | 4 | UInt32 big-endian, number of the block in its commit |
/// | 4 | UInt32, random, so that the keys of two stores differ |
///
/// The value is, for each owner, UInt8 class, UInt32 row, UInt32 count, and for each of so many targets
/// UInt8 class and UInt32 row, as ``DataBuffer`` writes them. Owners and the targets of each are in
/// ascending order, each once.
enum UnmergedBlock {
    typealias ClassRow = WrittenReferences.Target

    static let keyPrefix: [UInt8] = [3]
    static let keyLength = 17

    /// So many bytes make a block full: 32 KiB, some 2,300 owners with one target each.
    static let fullSize = 32 << 10

    static func key(order: UInt64, number: UInt32) -> [UInt8] {
        var key = keyPrefix
        withUnsafeBytes(of: order.bigEndian) { key.append(contentsOf: $0) }
        withUnsafeBytes(of: number.bigEndian) { key.append(contentsOf: $0) }
        withUnsafeBytes(of: UInt32.random(in: 0 ... .max)) { key.append(contentsOf: $0) }
        return key
    }

    static func isKey(_ key: UnsafeRawBufferPointer) -> Bool {
        key.count == keyLength && key[0] == keyPrefix[0]
    }

    @inline(__always)
    static func append(
        _ owner: ClassRow, _ targets: ArraySlice<ClassRow>, to buffer: DataBuffer
    ) {
        append(owner, to: buffer)
        buffer.writeUInt32(UInt32(truncatingIfNeeded: targets.count))
        for target in targets { append(target, to: buffer) }
    }

    @inline(__always)
    private static func append(_ classRow: ClassRow, to buffer: DataBuffer) {
        buffer.writeUInt8(classRow.classNumber)
        buffer.writeUInt32(classRow.row.rawValue)
    }

    /// Calls `body` with each owner of a block and what it refers to.
    /// - Throws: a `DataBufferError` if `value` is no block; what `body` throws.
    static func forEachOwner(
        in value: UnsafeRawBufferPointer,
        _ body: (_ owner: ClassRow, _ targets: [ClassRow]) throws -> Void
    ) throws {
        let buffer = DataBuffer(capacity: 0)
        buffer.borrow(value)
        var targets: [ClassRow] = []
        while buffer.remaining > 0 {
            let owner = try read(from: buffer)
            var left = try buffer.readUInt32()
            targets.removeAll(keepingCapacity: true)
            while left > 0 {
                targets.append(try read(from: buffer))
                left -= 1
            }
            try body(owner, targets)
        }
    }

    @inline(__always)
    private static func read(from buffer: DataBuffer) throws(DataBufferError) -> ClassRow {
        let classNumber = try buffer.readUInt8()
        return ClassRow(classNumber: classNumber, row: RowID(try buffer.readUInt32()))
    }

    /// The order in a block's key.
    static func order(in key: UnsafeRawBufferPointer) -> UInt64 {
        UInt64(bigEndian: key.loadUnaligned(fromByteOffset: 1, as: UInt64.self))
    }

    /// The greatest order of a block; `nil` if there is none.
    static func greatestOrder(
        in table: TableNumber, _ reader: any BackendReader, by run: EntryRun
    ) throws -> UInt64? {
        run.removeAll()
        let cursor = try reader.entries(
            in: table, range: KeyRange(prefix: keyPrefix), descending: true)
        guard try cursor.next(run, limit: 1), let (key, _) = run.next(), isKey(key) else {
            return nil
        }
        return order(in: key)
    }

    /// Calls `body` with key and value of all blocks that `reader` has, in the order in which they
    /// count, until it returns `false`.
    /// - Throws: a ``BackendError``; a `DataBufferError` for a key that is none of a block; what `body`
    ///   throws.
    static func forEach(
        in table: TableNumber, _ reader: any BackendReader,
        _ body: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) throws -> Bool
    ) throws {
        let run = EntryRun()
        let cursor = try reader.entries(
            in: table, range: KeyRange(prefix: keyPrefix), descending: false)
        while try cursor.next(run) {
            while let (key, value) = run.next() {
                guard isKey(key) else {
                    throw DataBufferError.invalidValue(type: "unmerged block", offset: 0)
                }
                if try !body(key, value) { return }
            }
        }
    }
}
