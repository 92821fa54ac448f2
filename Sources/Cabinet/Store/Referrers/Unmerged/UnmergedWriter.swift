import CabinetBackend

/// Writes unmerged blocks into the batch of one commit.
struct UnmergedWriter {
    typealias ClassRow = WrittenReferences.Target

    private let table: TableNumber
    private let order: UInt64
    private var number: UInt32 = 0
    private let buffer = DataBuffer(capacity: UnmergedBlock.fullSize + 1024)

    /// - Parameter order: see ``UnmergedBlock``.
    init(_ table: TableNumber, order: UInt64) { (self.table, self.order) = (table, order) }

    @inline(__always)
    mutating func append(
        _ owner: ClassRow, _ targets: ArraySlice<ClassRow>, in batch: WriteBatch
    ) throws {
        UnmergedBlock.append(owner, targets, to: buffer)
        if buffer.count >= UnmergedBlock.fullSize { try finish(in: batch) }
    }

    /// Writes what was appended since the last block.
    mutating func finish(in batch: WriteBatch) throws {
        if let error = buffer.writeError { throw error }
        guard buffer.count > 0 else { return }
        let key = UnmergedBlock.key(order: order, number: number)
        try buffer.withUnsafeBytes { try batch.put($0, for: key, in: table) }
        number += 1
        buffer.removeAll()
    }
}
