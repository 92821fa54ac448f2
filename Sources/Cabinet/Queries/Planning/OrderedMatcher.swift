import CabinetBackend

/// Makes matches of what a walk in the order of a query meets, until there are enough of them.
///
/// Not `Sendable`: it belongs to one run of a query.
final class OrderedMatcher {
    /// How much is wanted of a walk, and how much of it may be looked at.
    struct Extent {
        /// How many matches are left out at the front.
        var toSkip: Int
        /// How many matches are wanted.
        var left: Int
        /// How many objects are looked at in vain before the walk is given up.
        var toExamine: Int
    }

    private let store: Store
    private let matches: Matches
    private let filter: Filter
    /// Whether all saved objects that are met meet the condition.
    private let isExact: Bool
    /// Whether nothing but the rows are wanted of them.
    private let takesRows: Bool
    private let pending: PendingInOrder
    private let candidate: Candidate

    // Unchecked, because no code of the caller calls back into a matcher.

    @exclusivity(unchecked) private(set) var extent: Extent
    @exclusivity(unchecked) private(set) var examined = 0
    @exclusivity(unchecked) private(set) var matched = 0

    init(
        _ store: Store, _ scan: OrderedScan, _ matches: Matches, _ filter: Filter,
        _ pending: PendingInOrder, _ extent: Extent, takesRows: Bool
    ) {
        self.store = store
        self.matches = matches
        self.filter = filter
        self.pending = pending
        self.extent = extent
        self.takesRows = takesRows
        isExact = scan.isExact
        candidate = Candidate(store, store.fields(of: scan.index.storedClass))
    }

    /// How many records were made objects.
    var objectsRead: Int { candidate.objectsRead }

    /// Takes the rows that `walk` meets, and the pending objects between them.
    func take(_ walk: OrderedWalk, _ isDescending: Bool, _ memory: SeekMemory) throws {
        // As many as may be enough.
        let (sum, overflows) = extent.left.addingReportingOverflow(extent.toSkip)
        var size = overflows ? 4096 : min(sum, 4096)
        while try walk.next(max(size, 1)) {
            guard try takeStep(of: walk, isDescending, memory) else { return }
            size = min(size * 2, 4096)
        }
        while pending.first != nil { guard try takePending() else { return } }
    }

    /// `false` after the last match that is wanted.
    private func takeStep(
        of walk: OrderedWalk, _ isDescending: Bool, _ memory: SeekMemory
    ) throws -> Bool {
        if pending.rows.isEmpty { return try take(walk.rows[...], memory) }
        var kept: [RowID] = []
        for (row, key) in zip(walk.rows, walk.keys) {
            while let next = pending.first, next.isBefore(key, row, isDescending) {
                guard try take(kept[...], memory), try takePending() else { return false }
                kept.removeAll()
            }
            if !pending.rows.contains(row) { kept.append(row) }
        }
        return try take(kept[...], memory)
    }

    private func take(_ rows: ArraySlice<RowID>, _ memory: SeekMemory) throws -> Bool {
        if takesRows { return take(rows) }
        return try store.forEachCandidate(candidate, at: rows, memory) {
            try add(isKnown: isExact && !candidate.isInMemory)
        }
    }

    /// Takes rows of which nothing else is wanted.
    private func take(_ rows: ArraySlice<RowID>) -> Bool {
        let skipped = min(extent.toSkip, rows.count)
        let taken = rows.dropFirst(skipped).prefix(extent.left)
        extent.toSkip -= skipped
        extent.left -= taken.count
        examined += skipped + taken.count
        matched += skipped + taken.count
        matches.append(taken)
        return extent.left > 0
    }

    private func takePending() throws -> Bool {
        candidate.take(pending.removeFirst())
        return try add(isKnown: true)
    }

    /// Adds the object that the candidate stands at if it is a match.
    /// - Parameter isKnown: whether it is known to be one.
    private func add(isKnown: Bool) throws -> Bool {
        examined += 1
        if !isKnown {
            guard try filter.accepts(candidate) else {
                extent.toExamine -= 1
                return extent.toExamine > 0
            }
        }
        matched += 1
        if extent.toSkip > 0 {
            extent.toSkip -= 1
            return true
        }
        try matches.append(candidate)
        extent.left -= 1
        return extent.left > 0
    }
}
