/// The newest layer of an ordered table: what commits changed, by key, in memory.
///
/// A put and a delete have a weight, their effect on the number of live keys: a put of a key that
/// the layers below do not have +1, a put over one that they have 0, a delete of one that they have
/// −1. A delete of a key that they do not have is not kept. The weights of the entries before a key, added up
/// over all layers, are its rank. A small commit looks nothing up: a weight may be unknown until
/// ``resolve(limit:existsBelow:)``, which a count or a run needs.
///
/// Leaves of up to 128 entries, none of them empty. A copy costs three references, and stays as it
/// is: a later write to the original copies the leaf that it changes and, once, the list of leaves.
/// So a copy may be read on any thread, without a lock, while the original is written; making the
/// copy needs the lock under which the original is written.
package struct Delta: Sendable {
    /// The weight of an entry for which it was not looked whether the layers below have its key.
    package static let unknownWeight: Int8 = 2

    /// Weights of one leaf, added up.
    struct Sums {
        var weight: Int32 = 0
        /// How many entries have an unknown weight.
        var unknown: Int32 = 0
    }

    package internal(set) var leaves: [DeltaLeaf] = []
    /// Of each leaf's first key the bytes behind those that all of these share: a search among many
    /// leaves stays in one piece of memory.
    var starts: [UInt64] = []
    var sums: [Sums] = []
    /// How many bytes at the front of the leaves' first keys are alike: so many at least.
    var shared = 0
    /// The leaf that was last written: the next key often belongs there too.
    var latest = 0

    /// How many puts and deletes there are.
    package private(set) var entryCount = 0
    /// All known weights together.
    package internal(set) var weightSum = 0
    /// How many entries have an unknown weight.
    package internal(set) var unknownCount = 0
    /// Bytes of memory, those that copies share included.
    package internal(set) var size = 0

    package var isEmpty: Bool { leaves.isEmpty }

    package init() {}

    // MARK: Reading

    /// A value's bytes live until this delta is written; a copy of it that is kept keeps them.
    package func find(_ key: UnsafeRawBufferPointer) -> LayerEntry {
        guard !leaves.isEmpty else { return .absent }
        let leaf = leaves[leafIndex(for: key)]
        let (index, isThere) = leaf.find(key)
        guard isThere else { return .absent }
        return leaf.slots[index].isDelete ? .delete : .value(leaf.value(at: index))
    }

    // MARK: Writing

    /// Puts `value`. Neither it nor `key`, each less than 4 GiB, may lie in this delta.
    ///
    /// - Parameter existsBelow: whether the layers below have the key, `nil`: unknown. Not used if
    ///   an entry of this delta knows it.
    package mutating func put(
        _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, existsBelow: Bool?
    ) {
        write(key, value, isDelete: false, existsBelow)
    }

    /// Deletes `key`. Parameters are as for ``put(_:_:existsBelow:)``.
    package mutating func delete(_ key: UnsafeRawBufferPointer, existsBelow: Bool?) {
        write(key, UnsafeRawBufferPointer(start: nil, count: 0), isDelete: true, existsBelow)
    }

    private mutating func write(
        _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, isDelete: Bool,
        _ existsBelow: Bool?
    ) {
        if leaves.isEmpty {
            if isDelete, existsBelow == false { return }
            insertLeaf(DeltaLeaf(), at: 0)
        }
        var (position, known) = leafForWriting(key)
        makeLeafWritable(position)
        var (index, isThere) = leaves[position].find(key, sharing: known)
        guard !isThere else {
            return rewrite(key, value, isDelete: isDelete, existsBelow, at: index, in: position)
        }
        if isDelete, existsBelow == false { return }
        if leaves[position].count == DeltaLeaf.capacity {
            (position, index) = split(position, at: index)
        }
        let weight = Self.weight(isDelete: isDelete, existsBelow: existsBelow)
        // Without counting a reference.
        let growth = Unmanaged.passUnretained(leaves[position])._withUnsafeGuaranteedRef { leaf in
            let sizeBefore = leaf.size
            leaf.insert(key, value, isDelete: isDelete, weight: weight, at: index)
            return leaf.size &- sizeBefore
        }
        size &+= growth
        entryCount &+= 1
        count(weight, times: 1, in: position)
        latest = position
        if index == 0 { noteStart(of: position) }
    }

    /// Writes over the entry that `key` has.
    private mutating func rewrite(
        _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, isDelete: Bool,
        _ existsBelow: Bool?, at index: Int, in position: Int
    ) {
        let leaf = leaves[position]
        let old = leaf.slots[index]
        let existsBelow = old.existsBelow ?? existsBelow
        if isDelete, existsBelow == false { return remove(at: index, in: position) }
        let weight = Self.weight(isDelete: isDelete, existsBelow: existsBelow)
        let sizeBefore = leaf.size
        leaf.replace(key, value, isDelete: isDelete, weight: weight, at: index)
        size += leaf.size - sizeBefore
        if weight != old.weight {
            count(old.weight, times: -1, in: position)
            count(weight, times: 1, in: position)
        }
        latest = position
    }

    /// The weight of a put, or of a delete, of a key that is below.
    @inline(__always)
    private static func weight(isDelete: Bool, existsBelow: Bool?) -> Int8 {
        guard let existsBelow else { return Self.unknownWeight }
        return isDelete ? -1 : existsBelow ? 0 : 1
    }

    /// Adds a weight to the sums, or takes it away.
    @inline(__always)
    private mutating func count(_ weight: Int8, times: Int, in position: Int) {
        if weight == Self.unknownWeight {
            sums[position].unknown &+= Int32(truncatingIfNeeded: times)
            unknownCount &+= times
        } else if weight != 0 {
            sums[position].weight += Int32(weight) * Int32(truncatingIfNeeded: times)
            weightSum += Int(weight) * times
        }
    }

    /// Removes an entry, and its leaf if that was the last one in it.
    private mutating func remove(at index: Int, in position: Int) {
        makeLeafWritable(position)
        let sizeBefore = leaves[position].size
        count(leaves[position].slots[index].weight, times: -1, in: position)
        leaves[position].remove(at: index)
        entryCount -= 1
        size += leaves[position].size - sizeBefore
        latest = position
        if index == 0 || leaves[position].count <= DeltaLeaf.capacity / 8 { settle(position) }
    }

    // MARK: Weights

    /// The sum of the weights of all entries before `key`. Costs a look at the sums of each leaf
    /// before, 8 bytes each.
    ///
    /// The weights of these entries must be known.
    package func rank(of key: UnsafeRawBufferPointer) -> Int {
        guard !leaves.isEmpty else { return 0 }
        let position = leafIndex(for: key)
        var rank: Int32 = 0
        var unknown: Int32 = 0
        for sum in sums[..<position] {
            rank &+= sum.weight
            unknown |= sum.unknown
        }
        precondition(unknown == 0, "A rank needs known weights.")
        let leaf = leaves[position]
        for index in 0..<leaf.find(key).index {
            let weight = leaf.slots[index].weight
            precondition(weight != Self.unknownWeight, "A rank needs known weights.")
            rank &+= Int32(weight)
        }
        return Int(rank)
    }

    /// Finds out unknown weights, in the order of the keys, `limit` of them at most. Deletes of keys
    /// that the layers below do not have vanish.
    ///
    /// - Parameter existsBelow: whether the layers below have a key; called in ascending order.
    ///   What it throws is thrown, and what was found out before stays.
    /// - Returns: how many were found out; fewer than `limit`: all weights are known.
    @discardableResult
    package mutating func resolve(
        limit: Int, existsBelow: (UnsafeRawBufferPointer) throws(BackendError) -> Bool
    ) throws(BackendError) -> Int {
        var resolved = 0
        var position = 0
        while unknownCount > 0, resolved < limit, position < leaves.count {
            guard sums[position].unknown > 0 else {
                position += 1
                continue
            }
            var index = 0
            while index < leaves[position].count, resolved < limit {
                let slot = leaves[position].slots[index]
                guard slot.existsBelow == nil else {
                    index += 1
                    continue
                }
                let exists = try existsBelow(leaves[position].key(at: index))
                resolved += 1
                if slot.isDelete, !exists {
                    let isLast = leaves[position].count == 1
                    remove(at: index, in: position)
                    if isLast { break }
                } else {
                    makeLeafWritable(position)
                    let weight = Self.weight(isDelete: slot.isDelete, existsBelow: exists)
                    count(slot.weight, times: -1, in: position)
                    leaves[position].setWeight(weight, at: index)
                    count(weight, times: 1, in: position)
                    index += 1
                }
            }
        }
        return resolved
    }
}
