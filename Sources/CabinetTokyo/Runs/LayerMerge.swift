import CabinetBackend

/// Several layers as one, in both directions: of each key what the newest of them says, deletes
/// among it, and the sum of their weights.
///
/// A walk goes one way after each seek. Each step looks at every layer, of which there are few.
final class LayerMerge: LayerCursor {
    /// Oldest first.
    private let cursors: [LayerCursor]
    @exclusivity(unchecked) private var current = 0
    /// Whether other layers have the current key too.
    @exclusivity(unchecked) private var isShared = false

    init(_ cursors: [LayerCursor]) { self.cursors = cursors }

    override func seek(_ key: UnsafeRawBufferPointer?) throws(BackendError) {
        for cursor in cursors { try cursor.seek(key) }
        choose(descending: false)
    }

    override func seekBack(_ key: UnsafeRawBufferPointer?) throws(BackendError) {
        for cursor in cursors { try cursor.seekBack(key) }
        choose(descending: true)
    }

    override func next() throws(BackendError) {
        guard isAtEntry else { return }
        // The current key lives until its cursor moves, so that one moves last.
        if isShared {
            for (index, cursor) in cursors.enumerated()
            where index != current && cursor.isAtEntry && KeyOrder.areEqual(cursor.key, key) {
                try cursor.next()
            }
        }
        try cursors[current].next()
        choose(descending: false)
    }

    override func previous() throws(BackendError) {
        guard isAtEntry else { return }
        if isShared {
            for (index, cursor) in cursors.enumerated()
            where index != current && cursor.isAtEntry && KeyOrder.areEqual(cursor.key, key) {
                try cursor.previous()
            }
        }
        try cursors[current].previous()
        choose(descending: true)
    }

    /// Goes to the lowest key that a layer is at, or to the highest one; of several layers the
    /// newest counts.
    private func choose(descending: Bool) {
        var best: LayerCursor?
        isShared = false
        for (index, cursor) in cursors.enumerated() where cursor.isAtEntry {
            if let known = best {
                let order = KeyOrder.order(cursor.key, known.key)
                if order == 0 {
                    isShared = true
                } else if (order > 0) != descending {
                    continue
                } else {
                    isShared = false
                }
            }
            best = cursor
            current = index
        }
        guard let best else {
            isAtEntry = false
            return
        }
        isAtEntry = true
        key = best.key
        value = best.value
        isDelete = best.isDelete
        weight = isShared ? sumOfWeights() : best.weight
    }

    private func sumOfWeights() -> Int8 {
        var sum: Int8 = 0
        for cursor in cursors where cursor.isAtEntry && KeyOrder.areEqual(cursor.key, key) {
            guard cursor.weight != Self.unknownWeight else { return Self.unknownWeight }
            // Right weights of one key alternate, so no sum of them comes near a limit.
            sum &+= cursor.weight
        }
        return sum
    }
}
