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

    override func takeRows(
        into run: RowRun, limit: Int, before upper: UnsafeRawBufferPointer?
    ) throws(BackendError) {
        let end = limit < RowRun.fullCount ? run.rows.count + limit : .max
        var (last, steps) = (current, 0)
        while isAtEntry, run.rows.count < end, !run.isFull {
            if let upper, KeyOrder.order(key, upper) >= 0 { return }
            steps = current == last && !isShared ? steps + 1 : 0
            last = current
            guard steps > Self.stepsInOneLayer else {
                _ = takeRow(into: run)
                try next()
                continue
            }
            // So many entries of one layer may be followed by more.
            try cursors[current].takeRows(
                into: run, limit: end == .max ? end : end - run.rows.count,
                before: lowestKey(butOf: current, upper))
            choose(descending: false)
            steps = 0
        }
    }

    /// After so many steps in one layer the next ones are done by that layer alone.
    private static var stepsInOneLayer: Int { 8 }

    /// The lowest key that a layer but one is at, or `upper` if that is lower.
    private func lowestKey(
        butOf index: Int, _ upper: UnsafeRawBufferPointer?
    ) -> UnsafeRawBufferPointer? {
        var lowest = upper
        for (other, cursor) in cursors.enumerated() where other != index && cursor.isAtEntry {
            if let known = lowest, KeyOrder.order(cursor.key, known) >= 0 { continue }
            lowest = cursor.key
        }
        return lowest
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
            guard cursor.weight != Delta.unknownWeight else { return Delta.unknownWeight }
            // Right weights of one key alternate, so no sum of them comes near a limit.
            sum &+= cursor.weight
        }
        return sum
    }
}
