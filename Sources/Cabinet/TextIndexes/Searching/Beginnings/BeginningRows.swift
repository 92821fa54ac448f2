import CabinetBackend

/// The rows in which terms of one beginning stand, as a byte for each row of the class: the number of its kind.
///
/// A beginning of a letter or two has thousands of terms in a large part of all texts. Changing the byte of a
/// row for each posting takes less than bringing the rows into order, and a look at a row is one at a byte.
///
/// Not `Sendable`: it belongs to the store's isolation domain.
final class BeginningRows {
    /// Rows from this one on have no byte.
    private let limit: Int
    /// So many bytes are made at once.
    private let usualRows: Int
    // Unchecked, because nothing calls back into what is read.

    /// Of each row its kind; 0 where no term stands.
    @exclusivity(unchecked) private var numbers = PlainList<UInt8>()
    /// The rows as bits, but for those of blocks that no other block has rows of: they are read faster than
    /// bytes where rows are few.
    @exclusivity(unchecked) private var bits = PlainList<UInt64>()
    @exclusivity(unchecked) private var kinds = ByteKinds()
    /// How many rows there are.
    @exclusivity(unchecked) private(set) var count = 0
    /// Of each kind its first rows, and whether these are all; made when they are asked for first.
    private(set) lazy var first = firstRows()

    /// - Parameters:
    ///   - rows: about how many rows there are.
    ///   - limit: from which row on rows have no byte.
    init(rows: Int, limit: Int) {
        self.limit = limit
        usualRows = min(rows + 1, limit)
    }

    deinit {
        numbers.deallocate()
        bits.deallocate()
        kinds.deallocate()
    }

    /// About how many bytes of memory it takes.
    var size: Int { 1 << 17 + numbers.count + bits.count * 8 }

    // MARK: Reading

    /// Adds the postings of a block.
    /// - Parameter rows: those of the block, in ascending order but for 0, which does not count.
    /// - Returns: `false` for a row or a kind that there is no room for: then what was added is of no use.
    func add(_ block: PostingsBlock, _ rows: UnsafeBufferPointer<UInt32>) -> Bool {
        guard let last = rows.last(where: { $0 != 0 }) else { return true }
        guard makeRoom(for: Int(last)) else { return false }
        makeBits()
        kinds.prepareSums()
        let (base, bits) = (numbers.base, bits.base)
        // In a loop that stores bytes, local copies are not read again for each.
        var (kinds, count) = (kinds, count)
        defer {
            (self.kinds, self.count) = (kinds, count)
            // Rows that do not count have left their bit there.
            bits[0] &= ~1
        }
        return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: PostingsBlock.limit) {
            formers in
            // The bytes lie far apart: only a short loop has the processor wait for many of them at once.
            for posting in 0..<block.count {
                let row = rows[posting]
                formers[posting] = base[Int(row)]
                bits[Int(row >> 6)] |= 1 &<< UInt64(row & 63)
            }
            return block.forEachCount { posting, frequency, length in
                let row = Int(rows[posting])
                guard row != 0 else { return true }
                let former = formers[posting]
                guard let number = kinds.number(behind: former, frequency, length) else {
                    return false
                }
                base[row] = number
                count &+= former == 0 ? 1 : 0
                return true
            }
        }
    }

    /// Adds a block of rows that no other block of a sound index has.
    func add(allOf block: PostingsBlock, _ rows: UnsafeBufferPointer<UInt32>) -> Bool {
        guard let last = rows.last(where: { $0 != 0 }) else { return true }
        guard makeRoom(for: Int(last)) else { return false }
        let base = numbers.base
        var kinds = kinds
        defer {
            self.kinds = kinds
            // Rows that do not count have left their kinds there.
            base[0] = 0
        }
        count &+= rows.count { $0 != 0 }
        if block.hasShortCounts(frequency: ByteKinds.seldom, length: ByteKinds.short) {
            var least = UInt8.max
            _ = block.forEachCount { posting, frequency, length in
                let number = kinds.known(frequency, length)
                base[Int(rows[posting])] = number
                least = min(least, number)
                return true
            }
            if least > 0 { return true }
        }
        return block.forEachCount { posting, frequency, length in
            guard let number = kinds.number(ofFirst: frequency, length) else { return false }
            base[Int(rows[posting])] = number
            return true
        }
    }

    private func makeRoom(for row: Int) -> Bool {
        guard row >= numbers.count else { return true }
        guard row < limit else { return false }
        let wanted = min(max(row + 1, numbers.count * 2, usualRows), limit)
        numbers.append(zeros: wanted - numbers.count)
        return true
    }

    private func makeBits() {
        let wanted = (numbers.count + 63) / 64
        if bits.count < wanted { bits.append(zeros: wanted - bits.count) }
    }

    /// Goes over all rows once.
    private func firstRows() -> [(rows: [UInt32], areAll: Bool)] {
        var first = Array(repeating: (rows: [UInt32](), areAll: true), count: kinds.count)
        withUnsafeTemporaryAllocation(of: Bool.self, capacity: 256) { isOpen in
            isOpen.initialize(repeating: true)
            forEachRow { row in
                let number = Int(numbers[row])
                guard isOpen[number] else { return }
                if first[number - 1].rows.count < CountedRows.firstRows {
                    first[number - 1].rows.append(UInt32(truncatingIfNeeded: row))
                } else {
                    first[number - 1].areAll = false
                    isOpen[number] = false
                }
            }
        }
        return first
    }

    /// Forgets all rows, and keeps the memory for others.
    func removeAll() {
        numbers.setZeros()
        bits.setZeros()
        kinds.removeAll()
        count = 0
    }

    /// Rows fewer than one in so many take less memory by themselves.
    static let few = 16
    var areFew: Bool { count < numbers.count / Self.few }

    /// The same rows by themselves.
    var counted: CountedRows {
        let ranked = ranked
        // Rows that were added together have no bits.
        let index = ranked.count == count ? RowIndex(ranked) : RowIndex(rows)
        let base = numbers.base
        let kindOfRow = [UInt16](unsafeUninitializedCapacity: index.count) { target, filled in
            index.rows.withUnsafeBufferPointer { rows in
                for place in 0..<rows.count {
                    target[place] = UInt16(base[Int(rows[place])]) &- 1
                }
            }
            filled = index.count
        }
        return CountedRows(index, allKinds, kindOfRow)
    }

    /// The rows that have bits.
    private var ranked: RankedBits {
        let words = UnsafeBufferPointer(start: bits.base, count: bits.count)
        guard let first = words.firstIndex(where: { $0 != 0 }),
            let last = words.lastIndex(where: { $0 != 0 })
        else { return .none }
        return RankedBits(base: UInt32(first) << 6, Array(words[first...last]))
    }

    // MARK: Asking

    /// What the rows of each kind agree in, from kind 1 on.
    var allKinds: [CountedRows.Kind] { (0..<kinds.count).map { kinds[$0] } }

    /// The kind of a row, from 1 on; 0 if no term stands in its text.
    @inline(__always)
    func number(of row: UInt32) -> Int {
        Int(row) < numbers.count ? Int(numbers[Int(row)]) : 0
    }

    /// 1 for a kind, 0 for none: without a branch that nothing can predict.
    @inline(__always)
    private static func one(_ number: Int) -> Int { (number &+ 255) >> 8 }

    /// Calls `body` with each row, in ascending order.
    @inline(__always)
    private func forEachRow(_ body: (Int) -> Void) {
        let (base, count) = (numbers.base, numbers.count)
        var row = 0
        while row &+ 8 <= count {
            // Most bytes are 0 in most beginnings.
            while row &+ 32 <= count, base.areZeros(from: row) { row &+= 32 }
            guard row &+ 8 <= count else { break }
            // Of each byte that is not 0, the highest bit.
            let bytes = base.eight(from: row)
            let low: UInt64 = 0x7F7F_7F7F_7F7F_7F7F
            var marks = ((bytes & low) &+ low | bytes) & ~low
            while marks != 0 {
                body(row &+ marks.trailingZeroBitCount >> 3)
                marks &= marks &- 1
            }
            row &+= 8
        }
        while row < count {
            if base[row] != 0 { body(row) }
            row &+= 1
        }
    }

    /// The rows, in ascending order.
    var rows: [UInt32] {
        [UInt32](unsafeUninitializedCapacity: count) { target, filled in
            var place = 0
            forEachRow { row in
                guard place < target.count else { return }
                target[place] = UInt32(truncatingIfNeeded: row)
                place &+= 1
            }
            filled = place
        }
    }

    /// Those of `others` in which the terms stand, too.
    func intersection(_ others: [UInt32]) -> [UInt32] {
        [UInt32](unsafeUninitializedCapacity: others.count) { target, filled in
            for row in others {
                target[filled] = row
                filled &+= Self.one(number(of: row))
            }
        }
    }

    /// Looks at a section of some rows for those in which the terms stand, too, as a ``RowScorer`` does.
    func copyCommon(
        _ section: Int, of counted: CountedRows, _ open: OpenKinds,
        to target: UnsafeMutableBufferPointer<UInt32>
    ) -> CommonRows {
        // In a loop that stores rows, local copies are not read again for each.
        let (base, count) = (numbers.base, numbers.count)
        return counted.copy(section, open, to: target) { row in
            Int(row) < count ? Self.one(Int(base[Int(row)])) : 0
        }
    }
}

extension UnsafeMutablePointer<UInt8> {
    /// Whether 32 bytes are all 0.
    @inline(__always)
    fileprivate func areZeros(from offset: Int) -> Bool {
        let (one, two) = (eight(from: offset), eight(from: offset &+ 8))
        let (three, four) = (eight(from: offset &+ 16), eight(from: offset &+ 24))
        return one | two | three | four == 0
    }

    /// The eight bytes from `offset` on, the first one lowest.
    @inline(__always)
    fileprivate func eight(from offset: Int) -> UInt64 {
        UInt64(littleEndian: UnsafeRawPointer(self + offset).loadUnaligned(as: UInt64.self))
    }
}
