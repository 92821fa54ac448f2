/// Values by key in the order of the keys' bytes: leaves of up to 256 keys, none of them empty.
///
/// Not `Sendable`: the engine's lock guards it.
package final class OrderedTable {
    typealias Position = UnsafeMutablePointer<Leaf>

    private(set) var leaves: [Position] = []
    /// The first bytes of each leaf's first key: a search among many leaves stays in one piece of
    /// memory (1M random keys: 840 ns a key instead of 1400).
    private var starts: [UInt64] = []
    /// The leaf that was last written: the next key often belongs there too.
    private var latest = 0
    /// How many keys there are.
    package private(set) var count = 0

    package init() {}

    deinit {
        for leaf in leaves {
            leaf.pointee.deallocate()
            leaf.deallocate()
        }
    }

    /// The bytes live until the table changes. `nil`: there is no such key.
    package func value(for key: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
        guard !leaves.isEmpty else { return nil }
        let leaf = leaves[leafIndex(for: key)]
        let (index, isThere) = leaf.pointee.find(key)
        return isThere ? leaf.pointee.value(at: index) : nil
    }

    package func put(_ value: UnsafeRawBufferPointer, for key: UnsafeRawBufferPointer) {
        if leaves.isEmpty { insertLeaf(Leaf(), at: 0) }
        var position = leafForWriting(key)
        var (index, isThere) = leaves[position].pointee.find(key)
        if isThere {
            leaves[position].pointee.replace(key, value, at: index)
            return
        }
        if leaves[position].pointee.count == Leaf.capacity {
            (position, index) = reserveBytes(in: position, at: index)
        }
        leaves[position].pointee.insert(key, value, at: index)
        if index == 0 { noteStart(of: position) }
        latest = position
        count += 1
    }

    package func delete(_ key: UnsafeRawBufferPointer) {
        guard !leaves.isEmpty else { return }
        let position = leafForWriting(key)
        let leaf = leaves[position]
        let (index, isThere) = leaf.pointee.find(key)
        guard isThere else { return }
        leaf.pointee.remove(at: index)
        latest = position
        count -= 1
        if leaf.pointee.count == 0 {
            leaf.pointee.deallocate()
            removeLeaf(at: position)
            return
        }
        if index == 0 { noteStart(of: position) }
        if position + 1 < leaves.count,
            leaf.pointee.count + leaves[position + 1].pointee.count <= Leaf.capacity / 4
        {
            leaf.pointee.absorb(leaves[position + 1].pointee)
            removeLeaf(at: position + 1)
        }
    }

    // MARK: Leaves

    /// The leaf that `key` is in if it is there: the last one that does not begin behind it.
    func leafIndex(for key: UnsafeRawBufferPointer) -> Int {
        let start = Leaf.longStart(of: key)
        var low = 1
        var high = leaves.count
        while low < high {
            let middle = (low + high) / 2
            let found = starts[middle]
            let isBefore =
                found == start
                ? Leaf.order(leaves[middle].pointee.key(at: 0), key) <= 0 : found < start
            if isBefore {
                low = middle + 1
            } else {
                high = middle
            }
        }
        return low - 1
    }

    private func leafForWriting(_ key: UnsafeRawBufferPointer) -> Int {
        if latest < leaves.count, leaves[latest].pointee.count > 0,
            Leaf.order(leaves[latest].pointee.key(at: 0), key) <= 0,
            latest + 1 == leaves.count
                || Leaf.order(leaves[latest + 1].pointee.key(at: 0), key) > 0
        {
            return latest
        }
        return leafIndex(for: key)
    }

    /// Splits a full leaf, and says where what belonged at `index` goes now. At the table's end
    /// nothing moves, so that keys that come in order fill their leaves.
    private func reserveBytes(in position: Int, at index: Int) -> (position: Int, index: Int) {
        if index == Leaf.capacity, position + 1 == leaves.count {
            insertLeaf(Leaf(), at: position + 1)
            return (position + 1, 0)
        }
        insertLeaf(leaves[position].pointee.split(), at: position + 1)
        let lower = leaves[position].pointee.count
        return index <= lower ? (position, index) : (position + 1, index - lower)
    }

    private func insertLeaf(_ leaf: Leaf, at position: Int) {
        let memory = Position.allocate(capacity: 1)
        memory.initialize(to: leaf)
        leaves.insert(memory, at: position)
        starts.insert(0, at: position)
        if leaf.count > 0 { noteStart(of: position) }
    }

    private func noteStart(of position: Int) {
        starts[position] = Leaf.longStart(of: leaves[position].pointee.key(at: 0))
    }

    private func removeLeaf(at position: Int) {
        leaves[position].deallocate()
        leaves.remove(at: position)
        starts.remove(at: position)
    }
}
