/// A place for each of some objects, by their numbers: a dictionary whose hash is one multiplication.
///
/// Open addressing with linear probing (Knuth, 1963). Numbers that count up, as rows do, hardly collide.
struct NumberTable {
    private struct Entry {
        var number = UInt64.max
        var place: UInt32 = 0
    }

    private var entries: [Entry] = []
    private(set) var count = 0

    /// - Parameter capacity: for how many objects there is room at first.
    init(capacity: Int = 0) { if capacity > 0 { makeRoom(for: capacity) } }

    /// The place of the object of a number; `nil` for one that has none.
    subscript(number: UInt64) -> Int? {
        get {
            guard count > 0 else { return nil }
            let entry = entries[index(of: number)]
            return entry.number == number ? Int(entry.place) : nil
        }
        set {
            guard let newValue else { return remove(number) }
            if (count + 1) * 4 > entries.count * 3 { makeRoom(for: max(count * 2, 8)) }
            let index = index(of: number)
            if entries[index].number != number { count += 1 }
            entries[index] = Entry(number: number, place: UInt32(newValue))
        }
    }

    /// Calls `body` with each number and its place, in no order.
    func withEach(_ body: (UInt64, Int) -> Void) {
        for entry in entries where entry.number != .max { body(entry.number, Int(entry.place)) }
    }

    private func home(of number: UInt64) -> Int {
        let bits = entries.count.trailingZeroBitCount
        return Int(truncatingIfNeeded: (number &* 0x9E37_79B9_7F4A_7C15) >> UInt64(64 - bits))
    }

    /// Where the number is, or would be.
    private func index(of number: UInt64) -> Int {
        var index = home(of: number)
        while entries[index].number != number, entries[index].number != .max {
            index = (index + 1) & (entries.count - 1)
        }
        return index
    }

    private mutating func makeRoom(for capacity: Int) {
        var size = 8
        while size * 3 < capacity * 4 { size *= 2 }
        let old = entries
        entries = Array(repeating: Entry(), count: size)
        for entry in old where entry.number != .max { entries[index(of: entry.number)] = entry }
    }

    private mutating func remove(_ number: UInt64) {
        guard count > 0 else { return }
        var hole = index(of: number)
        guard entries[hole].number == number else { return }
        count -= 1
        let mask = entries.count - 1
        var next = (hole + 1) & mask
        // What has been put further on because of the number comes back.
        while entries[next].number != .max {
            if (next - home(of: entries[next].number)) & mask >= (next - hole) & mask {
                entries[hole] = entries[next]
                hole = next
            }
            next = (next + 1) & mask
        }
        entries[hole] = Entry()
    }
}
