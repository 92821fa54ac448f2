import CabinetBackend

/// One block of a run: entries in the order of their keys, in groups of 16.
///
/// | bytes | |
/// |---|---|
/// | entries | see ``RunSlot`` |
/// | 4 r | for each group but the first: 4 bytes of its first key behind the common part, as a UInt32 whose order is theirs |
/// | 4 r | for each of these groups: UInt16 offset of its first entry in the block, Int16 sum of the weights before it in the block |
/// | 4 | UInt32 common part: how many bytes these first keys share with the first key of the block |
/// | 4 | UInt32 r |
/// | 4 | UInt32 CRC-32C of the block's other bytes, bound to the file and to the block's offset |
///
/// The first entry of each group is relative to the first of the block, so a search needs no other
/// entry to compare it, and the numbers spare it most of these. Values are not trusted: whatever
/// the bytes are, reading stays within them.
///
/// It has little in common with the blocks of snapshots (`Blocks`): those hold the rows of many tables,
/// deflated, and are read once, from first to last, while a look-up reads some hundred bytes of one of these in
/// place. One format for both would be two behind one name.
struct RunBlock {
    static let usualSize = 8 << 10
    /// Above this a block has one entry.
    static let largestShared = 1 << 16
    static let groupSize = 16
    static let trailer = 12
    /// How many bytes a group but the first takes beside its entries.
    static let groupTrailer = 8

    let base: UnsafeRawPointer
    /// Where the entries end.
    let end: Int
    let groups: Int
    let first: RunSlot
    /// The common part.
    private let common: Int

    /// The block of `length` bytes at `base`. `nil`: it cannot be one.
    @inline(__always)
    init?(_ base: UnsafeRawPointer, length: Int) {
        guard length > Self.trailer else { return nil }
        let restarts = Int(base.get(UInt32.self, at: length &- 8))
        let end = length &- Self.trailer &- Self.groupTrailer &* restarts
        guard end > 0, let first = RunSlot(base, at: 0, before: end, base: 0) else { return nil }
        self.base = base
        self.end = end
        self.groups = restarts &+ 1
        self.first = first
        common = Int(base.get(UInt32.self, at: length &- 12))
    }

    /// No block: what a cursor has before its first seek.
    init(noneAt base: UnsafeRawPointer) {
        self.base = base
        end = 0
        groups = 0
        first = RunSlot()
        common = 0
    }

    /// The number of a group that is not the first.
    @inline(__always)
    func prefix(of group: Int) -> UInt32 { base.get(at: end &+ 4 &* (group &- 1)) }

    /// Whether the numbers of all groups and the common part are right.
    var hasRightPrefixes: Bool {
        var least = first.rest
        for group in 1..<max(groups, 1) {
            guard
                let slot = RunSlot(base, at: start(of: group), before: end, base: first.rest),
                slot.prefix(from: common, first: first, in: base) == prefix(of: group)
            else { return false }
            least = min(least, slot.shared)
        }
        return common == (groups > 1 ? least : 0)
    }

    /// Where offset and weight of a group are that is not the first.
    @inline(__always)
    private func record(of group: Int) -> Int { end &+ 4 &* (groups &+ group &- 2) }

    /// Where a group begins, of which there are ``groups``; at most ``end``.
    @inline(__always)
    func start(of group: Int) -> Int {
        guard group > 0 else { return 0 }
        return min(Int(base.get(UInt16.self, at: record(of: group))), end)
    }

    /// Where a group ends.
    @inline(__always)
    func end(of group: Int) -> Int { group &+ 1 < groups ? start(of: group &+ 1) : end }

    /// The sum of the weights of this block before a group.
    @inline(__always)
    func weight(before group: Int) -> Int {
        guard group > 0 else { return 0 }
        return Int(base.get(Int16.self, at: record(of: group) &+ 2))
    }

    /// Where a key is, or would be.
    struct Place {
        var group: Int
        /// How many entries of the group are before the key.
        var index: Int
        /// The sum of the weights of this block before the key.
        var weight: Int
        /// The key's entry; `nil`: there is none.
        var slot: RunSlot?
    }

    /// Finds a key. `nil`: the block is damaged.
    ///
    /// It compares what the key shares with its neighbours instead of whole keys. With *m* bytes in
    /// common with an entry before it, a key is after each following entry that shares more than
    /// *m* bytes with its base, and before one that shares fewer.
    @inline(__always)
    func find(_ key: UnsafeRawBufferPointer) -> Place? {
        let keyAt = key.baseAddress ?? base
        let limit = min(first.rest, key.count)
        let shared = RunBytes.common(base + first.restAt, keyAt, upTo: limit)
        if shared == limit {
            guard key.count > first.rest else {
                let isFirst = key.count == first.rest
                return Place(group: 0, index: 0, weight: 0, slot: isFirst ? first : nil)
            }
        } else if keyAt.get(UInt8.self, at: shared)
            < base.get(UInt8.self, at: first.restAt &+ shared)
        {
            return Place(group: 0, index: 0, weight: 0, slot: nil)
        }
        var (low, high) = groups(around: key, keyAt, shared: shared)
        var slot = first
        var matched = shared
        var isKnown = low == 0
        while high &- low > 1 || !isKnown {
            let middle = isKnown ? (low &+ high) &>> 1 : low
            guard
                let restart = RunSlot(
                    base, at: start(of: middle), before: end, base: first.rest)
            else { return nil }
            var count = shared
            switch restart.order(against: key, keyAt, matched: &count, in: base) {
            case 0:
                return Place(
                    group: middle, index: 0, weight: weight(before: middle), slot: restart)
            case 1:
                guard isKnown else { return nil }
                high = middle
            default:
                isKnown = true
                low = middle
                slot = restart
                matched = count
            }
        }
        return scan(low, from: slot, matched: matched, key, keyAt)
    }

    /// A group whose first key is before `key`, and a later one, or the end, whose first key is not
    /// known to be: by the numbers of the groups alone.
    ///
    /// - Parameter shared: how many bytes the key shares with the first of the block, which is
    ///   before it.
    @inline(__always)
    private func groups(
        around key: UnsafeRawBufferPointer, _ keyAt: UnsafeRawPointer, shared: Int
    ) -> (low: Int, high: Int) {
        // Where the key leaves the common part, all groups go on with it.
        guard groups > 1, shared >= common else { return (groups &- 1, groups) }
        let wanted = UInt32(
            truncatingIfNeeded: RunBytes.prefix(keyAt, from: common, to: key.count) &>> 32)
        var high = 1
        var length = groups &- 1
        while length > 0 {
            let half = length &>> 1
            let isGreater = prefix(of: high &+ half) > wanted
            high = isGreater ? high : high &+ half &+ 1
            length = isGreater ? half : length &- half &- 1
        }
        var low = high &- 1
        while low > 0, prefix(of: low) == wanted { low &-= 1 }
        return (low, high)
    }

    /// Finds a key in a group whose first entry, `slot`, is before it.
    @inline(__always)
    private func scan(
        _ group: Int, from slot: RunSlot, matched: Int, _ key: UnsafeRawBufferPointer,
        _ keyAt: UnsafeRawPointer
    ) -> Place? {
        var slot = slot
        var matched = matched
        var weight = weight(before: group)
        var index = 0
        let end = end(of: group)
        while true {
            weight &+= slot.weight
            index &+= 1
            guard slot.end < end else {
                return Place(group: group, index: index, weight: weight, slot: nil)
            }
            guard let next = RunSlot(base, at: slot.end, before: end, base: slot.keyCount) else {
                return nil
            }
            let order = next.order(against: key, keyAt, matched: &matched, in: base)
            guard order < 0 else {
                return Place(
                    group: group, index: index, weight: weight, slot: order == 0 ? next : nil)
            }
            slot = next
        }
    }
}

extension RunSlot {
    /// Four bytes, from `start` on, of the key of an entry whose base is `first`, as a number whose
    /// order is theirs; behind the key's end they count as zeros.
    func prefix(from start: Int, first: RunSlot, in block: UnsafeRawPointer) -> UInt32 {
        var prefix: UInt32 = 0
        for at in start..<start &+ 4 {
            prefix &<<= 8
            guard at < keyCount else { continue }
            let place = at < shared ? first.restAt &+ at : restAt &+ at &- shared
            prefix |= UInt32(block.get(UInt8.self, at: place))
        }
        return prefix
    }

    /// Whether the entry is before (−1), at (0) or after (1) a key, of which `matched` bytes are
    /// those of the entry's base, which is before the key. Before: `matched` becomes what the entry
    /// has in common with the key.
    @inline(__always)
    func order(
        against key: UnsafeRawBufferPointer, _ keyAt: UnsafeRawPointer, matched: inout Int,
        in block: UnsafeRawPointer
    ) -> Int {
        if shared != matched { return shared > matched ? -1 : 1 }
        let limit = min(rest, key.count &- matched)
        let common = RunBytes.common(block + restAt, keyAt + matched, upTo: limit)
        if common < limit {
            let isBefore =
                block.get(UInt8.self, at: restAt &+ common)
                < keyAt.get(UInt8.self, at: matched &+ common)
            if isBefore { matched &+= common }
            return isBefore ? -1 : 1
        }
        let left = key.count &- matched
        guard rest < left else { return rest == left ? 0 : 1 }
        matched &+= common
        return -1
    }
}
