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

    /// Sorts slots by their prefixes, which are replaced by others that have the same order.
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
        let packing = Packing(all ^ any)
        if packing.width < 64 {
            for index in range { slots[index].prefix = packing.pack(slots[index].prefix) }
        }
        sort(range, width: packing.width) { $0.prefix }
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

    /// Leaves out of a number the bits of each byte that are above the highest one that varies.
    private struct Packing {
        private typealias Words = (
            UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64
        )

        private let masks: Words
        private let shifts: Words
        /// How many bits are left.
        let width: Int

        init(_ varying: UInt64) {
            var width: UInt64 = 0
            var masks: Words = (0, 0, 0, 0, 0, 0, 0, 0)
            var shifts = masks
            withUnsafeMutableBytes(of: &masks) { masks in
                withUnsafeMutableBytes(of: &shifts) { shifts in
                    for byte in 0..<8 {
                        let bits = UInt8(truncatingIfNeeded: varying >> UInt64(8 * byte))
                        let kept = UInt64(8 - bits.leadingZeroBitCount)
                        let mask: UInt64 = (1 << kept - 1) << UInt64(8 * byte)
                        // Never to the left, as bytes have eight bits.
                        let shift = UInt64(8 * byte) - width
                        masks.storeBytes(of: mask, toByteOffset: 8 * byte, as: UInt64.self)
                        shifts.storeBytes(of: shift, toByteOffset: 8 * byte, as: UInt64.self)
                        width += kept
                    }
                }
            }
            self.masks = masks
            self.shifts = shifts
            self.width = Int(width)
        }

        @inline(__always)
        func pack(_ number: UInt64) -> UInt64 {
            let low =
                (number & masks.0) &>> shifts.0 | (number & masks.1) &>> shifts.1
                | (number & masks.2) &>> shifts.2 | (number & masks.3) &>> shifts.3
            let high =
                (number & masks.4) &>> shifts.4 | (number & masks.5) &>> shifts.5
                | (number & masks.6) &>> shifts.6 | (number & masks.7) &>> shifts.7
            return low | high
        }
    }
}
