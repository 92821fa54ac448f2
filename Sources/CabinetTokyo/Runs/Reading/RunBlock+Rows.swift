import CabinetBackend

extension RunBlock {
    /// Adds the rows that the entries of a whole group end with, without making keys. The run must
    /// have room for ``groupSize`` of them.
    ///
    /// - Returns: `false`, with nothing added: the keys must be made, or the block is damaged.
    func appendRows(of group: Int, to run: RowRun) -> Bool {
        let end = end(of: group)
        var position = start(of: group)
        var row = EntryRow()
        if group > 0, !row.take(first, in: base) { return false }
        let before = run.rows.count
        var count = 0
        while position < end {
            guard count < Self.groupSize,
                let slot = RunSlot(base, at: position, before: end, base: row.keyCount),
                row.take(slot, in: base)
            else {
                run.removeRows(after: before)
                return false
            }
            if !slot.isDelete { run.append(row.row, keySize: row.keySize) }
            position = slot.end
            count &+= 1
        }
        return true
    }
}

/// The row that an entry ends with, found from entry to entry of a block.
///
/// A key that shares the beginning of its last four bytes with the one before mostly is as long as that
/// one, as in an index of equal values: then the row is that one's with other bytes at its end.
private struct EntryRow {
    private(set) var keyCount = 0
    /// How many bytes the key has beside the row.
    private(set) var keySize = 0
    private(set) var row = RowID.none
    /// The last four bytes of the key.
    private var end: UInt32 = 0
    private var isEndKnown = false

    /// Goes on to the next entry. `false`: what stands in it does not tell its row.
    @inline(__always)
    mutating func take(_ slot: RunSlot, in block: UnsafeRawPointer) -> Bool {
        if slot.rest >= 4 {
            end = Self.bytes(block, slot.valueAt &- 4)
            isEndKnown = true
        } else if slot.keyCount == keyCount, isEndKnown {
            // Behind all entries of a block follow more than four bytes.
            let bits = UInt64(8 &* slot.rest)
            let rest = UInt64(Self.bytes(block, slot.restAt)) &>> (32 &- bits)
            end =
                end & ~UInt32(truncatingIfNeeded: (1 &<< bits) &- 1 as UInt64)
                | UInt32(truncatingIfNeeded: rest)
        } else {
            isEndKnown = false
        }
        keyCount = slot.keyCount
        if slot.valueCount >= 4 {
            row = RowID(Self.bytes(block, slot.end &- 4))
            keySize = keyCount
            return true
        }
        row = RowID(end)
        keySize = keyCount &- 4
        return isEndKnown && slot.valueCount == 0
    }

    @inline(__always)
    private static func bytes(_ block: UnsafeRawPointer, _ offset: Int) -> UInt32 {
        UInt32(bigEndian: block.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
    }
}
