import CabinetBackend

/// What a text index has for rows whose records are to be asked, by row.
///
/// A hash table with open addressing: the first use of a dictionary with a key type of its own takes the
/// runtime 400,000 instructions, and each entry five times as long.
struct UnmergedRows {
    /// The row in the upper half, what ``UnmergedRow/number`` says of it in the lower one; 0 for none.
    private var slots = [UInt64](repeating: 0, count: 64)
    private(set) var count = 0

    subscript(row: RowID) -> UnmergedRow? {
        let slot = slots[place(of: row)]
        return slot == 0 ? nil : UnmergedRow(number: UInt32(truncatingIfNeeded: slot))
    }

    mutating func set(_ row: RowID, _ unmerged: UnmergedRow) {
        let place = place(of: row)
        if slots[place] == 0 { count += 1 }
        slots[place] = UInt64(row.rawValue) << 32 | UInt64(unmerged.number)
        if count * 2 > slots.count { grow() }
    }

    private mutating func grow() {
        let former = slots
        slots = Array(repeating: 0, count: former.count * 2)
        for slot in former where slot != 0 {
            slots[place(of: RowID(UInt32(truncatingIfNeeded: slot >> 32)))] = slot
        }
    }

    /// Where the row is, or would be. Rows are numbered by the store: neighbours come to lie apart.
    private func place(of row: RowID) -> Int {
        let mask = slots.count &- 1
        var place = Int(truncatingIfNeeded: (row.rawValue &* 0x9E37_79B1) >> 8) & mask
        while slots[place] != 0, UInt32(truncatingIfNeeded: slots[place] >> 32) != row.rawValue {
            place = (place &+ 1) & mask
        }
        return place
    }
}
