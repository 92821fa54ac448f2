import CabinetBackend

/// A walk over a delta as it was when the cursor was made.
///
/// Past either end ``next()`` and ``previous()`` do nothing: seek again.
final class DeltaCursor: LayerCursor {
    private let delta: Delta
    // Unchecked, because nothing calls back into a cursor.
    @exclusivity(unchecked) private var leaf: DeltaLeaf?
    @exclusivity(unchecked) private var position = 0
    @exclusivity(unchecked) private var index = 0

    init(_ delta: Delta) { self.delta = delta }

    override func seek(_ key: UnsafeRawBufferPointer?) {
        guard !delta.isEmpty else { return }
        guard let key else { return show(0, at: 0) }
        let position = delta.leafIndex(for: key)
        let leaf = delta.leaves[position]
        let index = leaf.index(of: key)
        if index < leaf.count { show(position, at: index) } else { show(position + 1, at: 0) }
    }

    override func seekBack(_ key: UnsafeRawBufferPointer?) {
        guard !delta.isEmpty else { return }
        guard let key else { return showLast(of: delta.leaves.count - 1) }
        let position = delta.leafIndex(for: key)
        let index = delta.leaves[position].index(of: key)
        if index > 0 { show(position, at: index - 1) } else { showLast(of: position - 1) }
    }

    override func next() {
        guard isAtEntry, let leaf else { return }
        index += 1
        if index < leaf.count { show(leaf) } else { show(position + 1, at: 0) }
    }

    override func previous() {
        guard isAtEntry, let leaf else { return }
        index -= 1
        if index >= 0 { show(leaf) } else { showLast(of: position - 1) }
    }

    private func showLast(of position: Int) {
        show(position, at: position < 0 ? 0 : delta.leaves[position].count - 1)
    }

    /// Goes to an entry of a leaf that may lie past either end.
    private func show(_ position: Int, at index: Int) {
        guard position >= 0, position < delta.leaves.count else {
            isAtEntry = false
            return
        }
        self.position = position
        self.index = index
        let leaf = delta.leaves[position]
        self.leaf = leaf
        isAtEntry = true
        show(leaf)
    }

    @inline(__always)
    private func show(_ leaf: DeltaLeaf) {
        (key, value, isDelete, weight) = leaf.entry(at: index)
    }
}

extension Delta {
    /// A walk over this delta as it is now.
    func cursor() -> DeltaCursor { DeltaCursor(self) }
}
