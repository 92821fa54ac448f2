import CabinetBackend

/// Sorts slots by numbers, from the lowest digit to the highest, without changing the order of
/// equal ones. Bits in which no two numbers differ cost nothing.
struct RadixSort {
    private typealias Slots = UnsafeMutablePointer<EntrySlot>

    private let slots: Slots
    private let scratch: Slots

    private static let widestDigit = 11

    /// - Parameter scratch: as much memory as the slots take.
    init(_ slots: UnsafeMutablePointer<EntrySlot>, scratch: UnsafeMutablePointer<EntrySlot>) {
        self.slots = slots
        self.scratch = scratch
    }

    /// Sorts the first `count` slots by their groups.
    func sortGroups(_ count: Int) {
        var all = slots[0].group
        var any = all
        for index in 0..<count {
            all &= slots[index].group
            any |= slots[index].group
        }
        let width = UInt32.bitWidth - (all ^ any).leadingZeroBitCount
        sort(0..<count, width: width) { UInt64($0.group) }
    }

    /// Sorts slots by their prefixes.
    func sort(_ range: Range<Int>) {
        var all = UInt64.max
        var any: UInt64 = 0
        var last: UInt64 = 0
        var isSorted = true
        for index in range {
            let prefix = slots[index].prefix
            if prefix < last { isSorted = false }
            last = prefix
            all &= prefix
            any |= prefix
        }
        if isSorted { return }
        if range.count <= 40 { return insert(range) }
        let varying = all ^ any
        let shift = UInt64(varying.trailingZeroBitCount)
        let width = UInt64.bitWidth - varying.leadingZeroBitCount - Int(shift)
        sort(range, width: width) { $0.prefix &>> shift }
    }

    private func insert(_ range: Range<Int>) {
        for index in range.dropFirst() {
            let slot = slots[index]
            var place = index
            while place > range.lowerBound, slots[place - 1].prefix > slot.prefix {
                slots[place] = slots[place - 1]
                place -= 1
            }
            slots[place] = slot
        }
    }

    /// Sorts by the lowest `width` bits of what `number` gives.
    @inline(__always)
    private func sort(_ range: Range<Int>, width: Int, by number: (EntrySlot) -> UInt64) {
        // Digits that have more values than there are slots cost more than they save.
        let widest = min(Self.widestDigit, max(Int.bitWidth - range.count.leadingZeroBitCount, 4))
        let passes = (width + widest - 1) / widest
        guard passes > 0 else { return }
        let digit = (width + passes - 1) / passes
        var source = slots + range.lowerBound
        var target = scratch + range.lowerBound
        withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 1 << digit) { counts in
            guard let counts = counts.baseAddress else { return }
            for pass in 0..<passes {
                distribute(
                    source, to: target, range.count, counts, shift: UInt64(pass * digit),
                    mask: 1 << digit - 1, by: number)
                swap(&source, &target)
            }
        }
        if source != slots + range.lowerBound {
            target.update(from: source, count: range.count)
        }
    }

    @inline(__always)
    private func distribute(
        _ source: Slots, to target: Slots, _ count: Int, _ counts: UnsafeMutablePointer<UInt32>,
        shift: UInt64, mask: Int, by number: (EntrySlot) -> UInt64
    ) {
        counts.initialize(repeating: 0, count: mask + 1)
        for index in 0..<count {
            counts[Int(truncatingIfNeeded: number(source[index]) &>> shift) & mask] &+= 1
        }
        var sum: UInt32 = 0
        for value in 0...mask {
            let next = sum &+ counts[value]
            counts[value] = sum
            sum = next
        }
        for index in 0..<count {
            let slot = source[index]
            let value = Int(truncatingIfNeeded: number(slot) &>> shift) & mask
            target[Int(counts[value])] = slot
            counts[value] &+= 1
        }
    }
}
