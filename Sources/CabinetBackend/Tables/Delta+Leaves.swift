extension Delta {
    /// The leaf that `key` is in if it is there: the last one that does not begin behind it, or the
    /// first. There must be one.
    package func leafIndex(for key: UnsafeRawBufferPointer) -> Int {
        guard leaves.count > 1 else { return 0 }
        let side = KeyOrder.side(of: key, sharing: shared, of: leaves[0].key(at: 0))
        if side != 0 { return side < 0 ? 0 : leaves.count - 1 }
        return search(key, KeyOrder.start(of: key, behind: shared))
    }

    /// The same, with a look at the latest leaf first, and how many bytes the leaf's first key is
    /// known to share with `key`.
    @inline(__always)
    func leafForWriting(_ key: UnsafeRawBufferPointer) -> (position: Int, known: Int) {
        guard leaves.count > 1 else { return (0, 0) }
        let side = KeyOrder.side(of: key, sharing: shared, of: leaves[0].key(at: 0))
        if side != 0 { return (side < 0 ? 0 : leaves.count - 1, 0) }
        let start = KeyOrder.start(of: key, behind: shared)
        if latest < leaves.count, starts[latest] < start,
            latest + 1 == leaves.count || start < starts[latest + 1]
        {
            return (latest, shared)
        }
        return (search(key, start), shared)
    }

    @inline(__always)
    private func search(_ key: UnsafeRawBufferPointer, _ start: UInt64) -> Int {
        let (first, isAlike) = starts.withUnsafeBufferPointer { starts in
            guard var place = starts.baseAddress else { return (0, false) }
            var rest = starts.count
            while rest > 1 {
                let half = rest &>> 1
                if place[half &- 1] < start { place += half }
                rest &-= half
            }
            let index = starts.baseAddress.map { place - $0 } ?? 0
            if place.pointee < start { return (index &+ 1, false) }
            return (index, place.pointee == start)
        }
        return isAlike ? searchAmongAlike(key, start, from: first) : max(first &- 1, 0)
    }

    /// The same where several leaves, from `first` on, have the start of `key`.
    @inline(never)
    private func searchAmongAlike(
        _ key: UnsafeRawBufferPointer, _ start: UInt64, from first: Int
    ) -> Int {
        var low = first
        var high = leaves.count
        while low < high {
            let middle = (low + high) / 2
            if starts[middle] == start,
                KeyOrder.order(leaves[middle].key(at: 0), key, behind: shared) <= 0
            {
                low = middle + 1
            } else {
                high = middle
            }
        }
        return max(low - 1, 0)
    }

    /// Sees that nothing else refers to a leaf that is to be written.
    @inline(__always)
    mutating func makeLeafWritable(_ position: Int) {
        if !isKnownUniquelyReferenced(&leaves[position]) { copyLeaf(position) }
    }

    @inline(never)
    private mutating func copyLeaf(_ position: Int) {
        let copy = DeltaLeaf(copying: leaves[position])
        size += copy.size - leaves[position].size
        leaves[position] = copy
    }

    /// Splits a full leaf, which must be writable, and returns where what belonged at `index` goes
    /// now. At the end of the table nothing moves, so that keys that come in order fill their
    /// leaves.
    @inline(never)
    mutating func split(_ position: Int, at index: Int) -> (position: Int, index: Int) {
        if index == DeltaLeaf.capacity, position + 1 == leaves.count {
            insertLeaf(DeltaLeaf(slots: DeltaLeaf.capacity, bytes: 2048), at: position + 1)
            return (position + 1, 0)
        }
        let full = leaves[position]
        let middle = full.count / 2
        size -= full.size
        let upper = full.split(at: middle)
        size += full.size
        sums[position] = Self.sums(of: full)
        insertLeaf(upper, at: position + 1)
        return index <= middle ? (position, index) : (position + 1, index - middle)
    }

    /// After an entry was removed: notes the leaf's first key, unites it with the next leaf if both
    /// are small, removes it if it is empty.
    mutating func settle(_ position: Int) {
        let leaf = leaves[position]
        if leaf.count == 0 {
            size -= leaf.size
            leaves.remove(at: position)
            starts.remove(at: position)
            sums.remove(at: position)
            return
        }
        noteStart(of: position)
        guard position + 1 < leaves.count,
            leaf.count + leaves[position + 1].count <= DeltaLeaf.capacity / 4
        else { return }
        let both = DeltaLeaf(0..<leaf.count, of: leaf)
        both.append(0..<leaves[position + 1].count, of: leaves[position + 1])
        size -= leaves[position + 1].size
        leaves.remove(at: position + 1)
        starts.remove(at: position + 1)
        sums.remove(at: position + 1)
        replaceLeaf(at: position, with: both)
    }

    mutating func insertLeaf(_ leaf: DeltaLeaf, at position: Int) {
        leaves.insert(leaf, at: position)
        starts.insert(0, at: position)
        sums.insert(Self.sums(of: leaf), at: position)
        size += leaf.size
        if leaf.count > 0 { noteStart(of: position) }
    }

    private mutating func replaceLeaf(at position: Int, with leaf: DeltaLeaf) {
        size += leaf.size - leaves[position].size
        leaves[position] = leaf
        sums[position] = Self.sums(of: leaf)
    }

    private static func sums(of leaf: DeltaLeaf) -> Sums {
        var sums = Sums()
        for index in 0..<leaf.count {
            let weight = leaf.slots[index].weight
            if weight == unknownWeight {
                sums.unknown += 1
            } else {
                sums.weight += Int32(weight)
            }
        }
        return sums
    }

    /// Notes the first key of a leaf after it changed.
    mutating func noteStart(of position: Int) {
        let key = leaves[position].key(at: 0)
        if leaves.count == 1 {
            shared = key.count
            starts[0] = 0
            return
        }
        // Any other leaf's first key has the shared bytes.
        let sample = leaves[position == 0 ? 1 : 0]
        guard sample.count > 0 else { return }
        let common = KeyOrder.commonLength(key, sample.key(at: 0), limit: shared)
        if common < shared {
            shared = common
            for index in leaves.indices where leaves[index].count > 0 {
                starts[index] = KeyOrder.start(of: leaves[index].key(at: 0), behind: shared)
            }
        } else {
            starts[position] = KeyOrder.start(of: key, behind: shared)
        }
    }
}
