import CLibrary
import CabinetBackend

/// Meets the objects of an index in the order of its keys, or against it, pending ones between the others.
///
/// It throws ``OrderedWalk/Unusable`` when it has met too many objects in vain.
final class OrderedSource: RowSource {
    /// How much is wanted.
    struct Extent {
        /// Where the walk begins.
        var start: OrderedStart
        /// How many matches are wanted.
        var wanted: Int
        /// How many objects may be met that are not wanted.
        var mostInVain: Int
    }

    private let scan: OrderedScan
    private let extent: Extent
    private let walk: OrderedWalk
    private let pending: PendingInOrder
    /// How many rows the next step of the walk has.
    private var size: Int
    /// What was walked over, the rows of pending objects among it, and how far of it was given.
    private var rows: [RowID] = []
    private var keys: [[UInt8]] = []
    private var given = 0
    /// What the keys of the current group begin with.
    private var group: [UInt8] = []

    init(
        _ store: Store, _ scan: OrderedScan, _ filter: Filter, isExact: Bool, _ extent: Extent
    ) throws {
        (self.scan, self.extent) = (scan, extent)
        scan.index.uses += 1
        pending = try PendingInOrder(store, scan)
        size = max(min(extent.wanted, OrderedSource.longestStep), 1)
        let reader = try store.readerForWalk()
        walk = OrderedWalk(
            reader, scan.table, extent.start.ranges, isDescending: scan.isDescending,
            keepsKeys: !scan.isWhole || !pending.rows.isEmpty, toDrop: extent.start.toDrop)
        super.init(
            store, scan.index.storedClass, filter, isExact: isExact, pendingRows: pending.rows)
    }

    private static var longestStep: Int { 4096 }

    override func moreRows() throws -> ArraySlice<RowID>? {
        if examined - min(matched, extent.wanted) > extent.mostInVain {
            throw OrderedWalk.Unusable()
        }
        if given == rows.count {
            guard try step() else { return nil }
        }
        let start = given
        if scan.isWhole {
            given = rows.count
            return rows[start...]
        }
        // Those of a group are sorted later, so all of them are met.
        if !keys[start].begins(with: group) {
            if matched >= extent.wanted { return nil }
            group = try scan.group(of: keys[start])
        }
        given = keys[start...].firstIndex { !$0.begins(with: group) } ?? rows.count
        return rows[start..<given]
    }

    /// Walks on. `false` at the end.
    private func step() throws -> Bool {
        (rows, keys, given) = ([], [], 0)
        let goesOn = try walk.next(size, memory)
        size = min(size * 2, Self.longestStep)
        guard !pending.rows.isEmpty else {
            (rows, keys) = (walk.rows, walk.keys)
            return goesOn
        }
        repeat {
            for (row, key) in zip(walk.rows, walk.keys) {
                while let (next, own) = pending.next(before: key, row, scan.isDescending) {
                    rows.append(next)
                    keys.append(own)
                }
                guard !pending.rows.contains(row) else { continue }
                rows.append(row)
                keys.append(key)
            }
            guard rows.isEmpty else { return true }
        } while try walk.next(size, memory)
        while let (next, own) = pending.next() {
            rows.append(next)
            keys.append(own)
        }
        return !rows.isEmpty
    }
}

extension OrderedScan {
    /// What all keys of those rows begin with that are equal by the orders that the index has.
    fileprivate func group(of key: [UInt8]) throws(OrderedWalk.Unusable) -> [UInt8] {
        let end: Int? = key.withUnsafeBytes { key in
            var end = 0
            for _ in 0..<columns {
                guard let next = EntryReader.end(of: key, from: end) else { return nil }
                end = next
            }
            return end
        }
        guard let end else { throw OrderedWalk.Unusable() }
        return Array(key[..<end])
    }
}

extension [UInt8] {
    /// Whether it begins with `prefix`; with an empty one, it does not.
    fileprivate func begins(with prefix: [UInt8]) -> Bool {
        !prefix.isEmpty && count >= prefix.count
            && withUnsafeBytes { own in
                prefix.withUnsafeBytes { prefix in
                    guard let one = own.baseAddress, let other = prefix.baseAddress else {
                        return false
                    }
                    return memcmp(one, other, prefix.count) == 0
                }
            }
    }
}
