import CabinetBackend

/// Names with a number each, from 0 on in the order in which they came.
///
/// A dictionary would hash each name again whenever it grows, and make a text of it to ask for.
/// Names are the same if their UTF-8 is.
struct NameIndex {
    private struct Entry {
        var range: Range<Int>
        var hash: Int
    }

    private var entries: [Entry] = []
    private let bytes = DataBuffer()
    /// A power of two of slots, at least twice as many as names: a name's number plus one, or 0.
    private var slots = [UInt32](repeating: 0, count: 8)

    init() { bytes.sizeLimit = .max }

    var count: Int { entries.count }

    /// The UTF-8 of the name with `number`, until the next name comes.
    subscript(number: Int) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(
            rebasing: UnsafeRawBufferPointer(bytes.memory)[entries[number].range])
    }

    func find(_ name: UnsafeRawBufferPointer) -> Int? {
        let slot = slots[self.slot(of: name, Self.hash(of: name))]
        return slot == 0 ? nil : Int(slot) - 1
    }

    /// The number of `name`, which has come now.
    mutating func number(of name: UnsafeRawBufferPointer) -> Int {
        let hash = Self.hash(of: name)
        let slot = slot(of: name, hash)
        if slots[slot] != 0 { return Int(slots[slot]) - 1 }
        let number = entries.count
        let start = bytes.count
        bytes.writeRawBytes(name)
        entries.append(Entry(range: start..<bytes.count, hash: hash))
        slots[slot] = UInt32(number + 1)
        if entries.count * 2 > slots.count { grow() }
        return number
    }

    /// Seeded, so that an attacker cannot choose names that all belong to one slot.
    private static func hash(of name: UnsafeRawBufferPointer) -> Int {
        var hasher = Hasher()
        hasher.combine(bytes: name)
        return hasher.finalize()
    }

    /// Where the number of `name` stands, or would.
    private func slot(of name: UnsafeRawBufferPointer, _ hash: Int) -> Int {
        let mask = slots.count - 1
        var slot = hash & mask
        while slots[slot] != 0 {
            let number = Int(slots[slot]) - 1
            if entries[number].hash == hash, self[number].elementsEqual(name) { return slot }
            slot = (slot + 1) & mask
        }
        return slot
    }

    private mutating func grow() {
        let mask = slots.count * 2 - 1
        slots = [UInt32](repeating: 0, count: mask + 1)
        for (number, entry) in entries.enumerated() {
            var slot = entry.hash & mask
            while slots[slot] != 0 { slot = (slot + 1) & mask }
            slots[slot] = UInt32(number + 1)
        }
    }
}
