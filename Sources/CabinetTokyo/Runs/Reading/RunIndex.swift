import CabinetBackend

/// The index of a run: where its blocks are, what is before each, and the keys that divide them.
///
/// With *n* blocks:
///
/// | bytes | |
/// |---|---|
/// | 8 n | for each block: 8 bytes of its separator behind what all separators have in common, as a UInt64 whose order is theirs; 0 for the first |
/// | 40 (n + 1) | for each block, and for the end of the last: UInt64 offset, UInt64 entries before it, Int64 sum of the weights before it, UInt64 where its separator begins, UInt64 its greatest weight |
/// | the rest | separators, without gaps |
///
/// A block's separator is after the last key of the block before, not after its own first key, and
/// as short as that allows. The first block's is empty. A search compares numbers of one small
/// array, and whole separators only where those are equal.
struct RunIndex {
    private static let recordSize = 40

    let count: Int
    private let prefixes: UnsafeRawPointer
    private let records: UnsafeRawPointer
    private let separators: UnsafeRawBufferPointer
    /// What all separators but the first begin with.
    private let common: UnsafeRawBufferPointer
    private let blocks: Range<UInt64>

    /// Whether the index is as it must be takes ``isSound(_:)`` to know.
    ///
    /// - Parameter bytes: the index. Its sum was checked.
    /// - Returns: `nil` if the parts do not fit.
    init?(_ bytes: UnsafeRawBufferPointer, footer: RunFooter) {
        // No block takes less than 8 bytes of index, so no product below overflows.
        guard let base = bytes.baseAddress, footer.blocks <= UInt64(bytes.count / 8) else {
            return nil
        }
        count = Int(footer.blocks)
        let fixed = 8 * count + Self.recordSize * (count + 1)
        guard fixed <= bytes.count else { return nil }
        prefixes = base
        records = base + 8 * count
        separators = UnsafeRawBufferPointer(rebasing: bytes[fixed...])
        blocks = UInt64(RunHeader.size)..<footer.indexOffset
        guard count > 1 else {
            guard footer.commonPrefix == 0 else { return nil }
            common = UnsafeRawBufferPointer(start: nil, count: 0)
            return
        }
        let start = Int(clamping: records.get(UInt64.self, at: Self.recordSize + 24))
        guard start <= separators.count,
            footer.commonPrefix <= UInt64(separators.count - start)
        else { return nil }
        common = UnsafeRawBufferPointer(
            rebasing: separators[start..<start + Int(footer.commonPrefix)])
    }

    /// The block in which a key is, if it is in any; 0 if there is none.
    @inline(__always)
    func block(of key: UnsafeRawBufferPointer) -> Int {
        guard count > 1, let keyAt = key.baseAddress else { return 0 }
        if let base = common.baseAddress {
            let limit = min(common.count, key.count)
            let shared = RunBytes.common(base, keyAt, upTo: limit)
            if shared < limit { return key[shared] < common[shared] ? 0 : count &- 1 }
            if key.count < common.count { return 0 }
        }
        let wanted = RunBytes.prefix(keyAt, from: common.count, to: key.count)
        // The first block whose number is greater.
        var low = 1
        var length = count &- 1
        while length > 0 {
            let half = length &>> 1
            let isGreater = prefix(of: low &+ half) > wanted
            low = isGreater ? low : low &+ half &+ 1
            length = isGreater ? half : length &- half &- 1
        }
        guard low > 1, prefix(of: low &- 1) == wanted else { return low &- 1 }
        return blockAmongEqual(before: low, key, wanted)
    }

    /// The last block before `end` whose separator is not after `key`, among those with its number.
    private func blockAmongEqual(
        before end: Int, _ key: UnsafeRawBufferPointer, _ wanted: UInt64
    ) -> Int {
        var low = 1
        var high = end
        while low < high {
            let middle = (low &+ high) &>> 1
            let isAfter =
                prefix(of: middle) == wanted && key.lexicographicallyPrecedes(separator(of: middle))
            if isAfter { high = middle } else { low = middle &+ 1 }
        }
        return low &- 1
    }

    @inline(__always)
    private func prefix(of block: Int) -> UInt64 { prefixes.get(at: 8 &* block) }

    @inline(__always)
    private func field(_ number: Int, of block: Int) -> UInt64 {
        records.get(at: Self.recordSize &* block &+ 8 &* number)
    }

    /// Where a block is in the file; `nil` if that cannot be.
    @inline(__always)
    func place(of block: Int) -> (offset: Int, length: Int)? {
        let start = field(0, of: block)
        let end = field(0, of: block &+ 1)
        guard start >= blocks.lowerBound, start < end, end <= blocks.upperBound else { return nil }
        return (Int(truncatingIfNeeded: start), Int(truncatingIfNeeded: end &- start))
    }

    /// How many entries are before a block; for ``count``: in all.
    func entries(before block: Int) -> Int { Int(truncatingIfNeeded: field(1, of: block)) }

    /// The sum of the weights before a block; for ``count``: of all.
    @inline(__always)
    func weight(before block: Int) -> Int { Int(truncatingIfNeeded: field(2, of: block)) }

    /// The greatest sum of the weights of a block's first entries, over any number of them.
    func greatestWeight(in block: Int) -> Int { Int(truncatingIfNeeded: field(4, of: block)) }

    func separator(of block: Int) -> UnsafeRawBufferPointer {
        let start = min(Int(clamping: field(3, of: block)), separators.count)
        let end = min(Int(clamping: field(3, of: block &+ 1)), separators.count)
        return UnsafeRawBufferPointer(rebasing: separators[start..<max(start, end)])
    }

    /// Whether all records fit together and with the footer. Takes some 10 ns a block.
    func isSound(_ footer: RunFooter) -> Bool {
        guard field(0, of: count) == blocks.upperBound, field(1, of: count) == footer.entries,
            field(2, of: count) == UInt64(bitPattern: footer.weight),
            field(3, of: count) == UInt64(separators.count)
        else { return false }
        var start = Record(records)
        guard start.offset == blocks.lowerBound, start.entries == 0, start.weight == 0,
            start.separator == 0
        else { return false }
        var last: UInt64 = 0
        for block in 0..<count {
            let end = Record(records + Self.recordSize &* (block &+ 1))
            guard fits(start, end) else { return false }
            let prefix = prefix(of: block)
            if block == 0 {
                guard end.separator == 0, prefix == 0 else { return false }
            } else {
                guard isDivided(block, start.separator..<end.separator, prefix, last) else {
                    return false
                }
            }
            last = prefix
            start = end
        }
        return true
    }

    private struct Record {
        let offset, entries, weight, separator, greatestWeight: UInt64

        @inline(__always)
        init(_ bytes: UnsafeRawPointer) {
            offset = bytes.get(at: 0)
            entries = bytes.get(at: 8)
            weight = bytes.get(at: 16)
            separator = bytes.get(at: 24)
            greatestWeight = bytes.get(at: 32)
        }
    }

    /// Whether a block can be between two records.
    @inline(__always)
    private func fits(_ start: Record, _ end: Record) -> Bool {
        guard start.offset < end.offset, end.offset <= blocks.upperBound else { return false }
        let length = end.offset &- start.offset
        let entries = end.entries &- start.entries
        let weight = Int64(bitPattern: end.weight &- start.weight).magnitude
        // An entry takes a byte, so no block has more of them.
        return length > UInt64(RunBlock.trailer) && entries > 0 && entries <= length
            && weight <= entries && start.greatestWeight <= entries
            && (length <= UInt64(RunBlock.largestShared) || entries == 1)
            && start.separator <= end.separator && end.separator <= UInt64(separators.count)
    }

    /// Whether a separator begins as all do, has the number it should, and comes after the one
    /// before, whose number is `last`.
    @inline(__always)
    private func isDivided(
        _ block: Int, _ place: Range<UInt64>, _ prefix: UInt64, _ last: UInt64
    ) -> Bool {
        let separator = UnsafeRawBufferPointer(
            rebasing: separators[Int(place.lowerBound)..<Int(place.upperBound)])
        guard separator.count >= common.count, let base = separator.baseAddress,
            separator.count > 0, KeyOrder.areAlike(separator, common, common.count),
            prefix == RunBytes.prefix(base, from: common.count, to: separator.count)
        else { return false }
        // Behind what all separators begin with, the numbers decide where they differ.
        if block > 1, prefix != last { return prefix > last }
        return KeyOrder.order(self.separator(of: block &- 1), separator) < 0
    }
}
