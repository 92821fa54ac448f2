/// Bytes by row, for a few rows or for many: a hash table of 16 bytes a slot, half of them free at
/// least, and the bytes one after the other. Rows that lie far apart cost no more than others.
///
/// The engine's lock guards it. Any number of threads may ask at the same time.
final class NotedRows {
    private struct Slot {
        var row: RowID = 0
        var size: UInt32 = 0
        /// `nil`: the slot is free.
        var address: UnsafeMutableRawPointer?
    }

    // Unchecked, because the engine's lock orders all accesses, and nothing calls back into a table.

    @exclusivity(unchecked) private var slots: UnsafeMutablePointer<Slot>
    /// How many bits of a hash name a slot.
    @exclusivity(unchecked) private var bits: UInt32
    @exclusivity(unchecked) private(set) var count = 0
    /// All memory that bytes lie in, and what is left of the last piece.
    @exclusivity(unchecked) private var pieces: [UnsafeMutableRawPointer] = []
    @exclusivity(unchecked) private var next: UnsafeMutableRawPointer?
    @exclusivity(unchecked) private var left = 0
    /// The rows in order; `nil` until a question needs them. Under a lock of its own.
    @exclusivity(unchecked) private var sorted: [RowID]?
    private let sorting = Lock()

    private static let firstBits: UInt32 = 4
    private static let firstPiece = 1 << 10
    private static let largestPiece = 1 << 18

    /// - Parameter room: how many rows are to come. Rows of another table come in the order of
    ///   their hashes, which would pile up in one that has to grow.
    init(room: Int = 0) {
        var bits = Self.firstBits
        while 1 << Int(bits) < room * 2, bits < 31 { bits += 1 }
        self.bits = bits
        slots = Self.makeSlots(bits)
    }

    deinit {
        slots.deallocate()
        for piece in pieces { piece.deallocate() }
    }

    private static func makeSlots(_ bits: UInt32) -> UnsafeMutablePointer<Slot> {
        let slots = UnsafeMutablePointer<Slot>.allocate(capacity: 1 << Int(bits))
        slots.initialize(repeating: Slot(), count: 1 << Int(bits))
        return slots
    }

    /// The slot that the row has, or would get.
    @inline(__always)
    private func slot(of row: RowID) -> UnsafeMutablePointer<Slot> {
        var index = Int((row.rawValue &* 0x9E37_79B1) >> (32 - bits))
        while slots[index].address != nil, slots[index].row != row {
            index = (index + 1) & (1 << Int(bits) - 1)
        }
        return slots + index
    }

    /// The bytes live until the table changes. `nil`: there is no such row.
    @inline(__always)
    func value(of row: RowID) -> UnsafeRawBufferPointer? {
        guard count > 0 else { return nil }
        let slot = slot(of: row)
        guard let address = slot.pointee.address else { return nil }
        return UnsafeRawBufferPointer(start: address, count: Int(slot.pointee.size))
    }

    /// Makes room for `size` bytes, more than none, which the caller fills.
    private func put(size: Int, at row: RowID) -> UnsafeMutableRawPointer {
        var slot = slot(of: row)
        if let address = slot.pointee.address {
            if size <= Int(slot.pointee.size) {
                slot.pointee.size = UInt32(truncatingIfNeeded: size)
                return address
            }
        } else {
            if (count + 1) * 2 > 1 << Int(bits) {
                grow()
                slot = self.slot(of: row)
            }
            count += 1
            sorted = nil
        }
        let address = makeCell(size)
        slot.pointee = Slot(row: row, size: UInt32(truncatingIfNeeded: size), address: address)
        return address
    }

    func put(_ bytes: UnsafeRawBufferPointer, at row: RowID) {
        let target = put(size: bytes.count, at: row)
        if let source = bytes.baseAddress {
            target.copyMemory(from: source, byteCount: bytes.count)
        }
    }

    func removeAll() {
        guard count > 0 else { return }
        (count, sorted) = (0, nil)
        if bits > 8 {
            slots.deallocate()
            bits = Self.firstBits
            slots = Self.makeSlots(bits)
        } else {
            slots.update(repeating: Slot(), count: 1 << Int(bits))
        }
        guard let first = pieces.first else { return }
        for piece in pieces.dropFirst() { piece.deallocate() }
        if pieces.count > 1 { pieces = [first] }
        (next, left) = (first, Self.firstPiece)
    }

    private func grow() {
        let (old, size) = (slots, 1 << Int(bits))
        bits += 1
        slots = Self.makeSlots(bits)
        for index in 0..<size where old[index].address != nil {
            slot(of: old[index].row).pointee = old[index]
        }
        old.deallocate()
    }

    /// Memory for `size` bytes, which goes with the table.
    private func makeCell(_ size: Int) -> UnsafeMutableRawPointer {
        if size > left { makePiece(for: size) }
        guard let cell = next else { preconditionFailure("The table has no memory.") }
        next = cell + size
        left -= size
        return cell
    }

    private func makePiece(for size: Int) {
        // The first piece stays when the table is emptied, and has its size.
        let usual = min(Self.firstPiece << min(pieces.count, 8), Self.largestPiece)
        if pieces.isEmpty, size > usual { makePiece(for: 1) }
        let piece = UnsafeMutableRawPointer.allocate(
            byteCount: max(size, usual), alignment: 8)
        pieces.append(piece)
        (next, left) = (piece, max(size, usual))
    }

    /// Calls `body` with each row, in an order that stays while no row comes or goes.
    func forEachRow(
        _ body: (RowID, UnsafeRawBufferPointer) throws(BackendError) -> Void
    ) throws(BackendError) {
        guard count > 0 else { return }
        for index in 0..<(1 << Int(bits)) {
            guard let address = slots[index].address else { continue }
            try body(
                slots[index].row,
                UnsafeRawBufferPointer(start: address, count: Int(slots[index].size)))
        }
    }

    /// The first row from `start` on, with its bytes, which live until the table changes; `nil` for
    /// none. The first question after a row has come sorts them all.
    func first(from start: Int) -> (row: RowID, value: UnsafeRawBufferPointer)? {
        let rows = sorting.withLock { () -> [RowID] in
            if let sorted { return sorted }
            var rows: [RowID] = []
            rows.reserveCapacity(count)
            for index in 0..<(1 << Int(bits)) where slots[index].address != nil {
                rows.append(slots[index].row)
            }
            rows.sort()
            sorted = rows
            return rows
        }
        let place = rows.partitioningIndex { $0.index >= start }
        guard place < rows.count, let bytes = value(of: rows[place]) else { return nil }
        return (rows[place], bytes)
    }
}
