import CabinetBackend

/// One sorted stream out of several. Of entries about the same row or key only the one of the
/// last source is given.
///
/// A binary heap of the sources, by the entry that each would give next.
final class EntryMerge: EntrySource {
    private let sources: [any EntrySource]
    // Unchecked, because nothing calls back into a merge: checks took a tenth of a compaction.

    /// What each source would give next; of one that is at its end, what it gave last.
    @exclusivity(unchecked) private var heads: [TableEntry] = []
    @exclusivity(unchecked) private var heap: [Int] = []
    /// The source whose entry was given last. It moves on with the next call, not before, so that
    /// the entry's bytes live until then.
    @exclusivity(unchecked) private var lent: Int?

    /// - Parameter sources: oldest first.
    init(_ sources: [any EntrySource]) throws(BackendError) {
        var filled: [any EntrySource] = []
        for source in sources {
            guard let entry = try source.next() else { continue }
            filled.append(source)
            heads.append(entry)
        }
        self.sources = filled
        for source in filled.indices { push(source) }
    }

    func next() throws(BackendError) -> TableEntry? {
        if let source = lent {
            lent = nil
            if let entry = try sources[source].next() {
                heads[source] = entry
                // Often it gives the next one too, and need not enter the heap.
                guard let first = heap.first, precedes(first, source) else {
                    return try lend(source)
                }
                heap[0] = source
                siftDown()
                return try lend(first)
            }
        }
        guard let source = pop() else { return nil }
        return try lend(source)
    }

    /// Gives the entry of `source`, which is first and not in the heap.
    private func lend(_ source: Int) throws(BackendError) -> TableEntry {
        let entry = heads[source]
        while let older = heap.first, heads[older].order(against: entry) == 0 {
            if let next = try sources[older].next() {
                heads[older] = next
                siftDown()
            } else {
                _ = pop()
            }
        }
        lent = source
        return entry
    }

    /// Whether `one` comes before `other`: with the lower entry, or with the younger of two about
    /// the same row or key.
    @inline(__always)
    private func precedes(_ one: Int, _ other: Int) -> Bool {
        let order = heads[one].order(against: heads[other])
        return order == 0 ? one > other : order < 0
    }

    private func push(_ source: Int) {
        var position = heap.count
        heap.append(source)
        while position > 0 {
            let parent = (position - 1) / 2
            guard precedes(source, heap[parent]) else { break }
            heap[position] = heap[parent]
            position = parent
        }
        heap[position] = source
    }

    private func pop() -> Int? {
        guard let first = heap.first, let last = heap.popLast() else { return nil }
        if !heap.isEmpty {
            heap[0] = last
            siftDown()
        }
        return first
    }

    /// Moves the first source down to its position in the heap.
    private func siftDown() {
        let source = heap[0]
        var position = 0
        while true {
            var child = 2 * position + 1
            guard child < heap.count else { break }
            if child + 1 < heap.count, precedes(heap[child + 1], heap[child]) { child += 1 }
            guard precedes(heap[child], source) else { break }
            heap[position] = heap[child]
            position = child
        }
        heap[position] = source
    }
}
