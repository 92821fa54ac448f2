import CabinetBackend

/// Rows of a live list in sections of one value each.
struct SectionSource<Key, Object: StoredObject> {
    /// A section, and where it stands in the list.
    typealias Section = (key: Key, range: Range<Int>)

    let rows: LiveRows<Object>
    /// The order of two values: below 0 if the first stands before the other, 0 if they are equal.
    let compare: (Key, Key) -> Int
    /// The sections of the list as it is.
    let find: () -> [Section]
    /// What leads from the list as of a position to the list as it is, and its sections then; `nil` if that
    /// is not known.
    let findSince: (ChangePosition) throws -> (edits: ListEdits, former: [Section])?

    /// The sections with their objects.
    func sections(_ sections: [Section]) -> [LiveSection<Key, Object>] {
        sections.map { section in
            var part = rows.version
            let start = part.window.lowerBound
            part.window =
                start + section.range.lowerBound..<start + section.range.upperBound
            return LiveSection(
                key: section.key, objects: LiveList(store: rows.store, version: part),
                range: section.range)
        }
    }
}

extension SectionSource {
    /// Of a query that is sorted by the value of the sections first, each section found by halving.
    init(_ rows: QueriedRows<Object>, _ compare: @escaping (Key, Key) -> Int) {
        (self.rows, self.compare) = (rows, compare)
        findSince = { _ in nil }
        find = {
            guard let first = rows.keys.columns.first else { return [] }
            // The rows were made with such a column.
            let column = unsafeDowncast(first, to: ComparedColumn<Key>.self)
            let (keys, version) = (rows.keys, rows.version)
            var found: [Section] = []
            let window = version.window
            var start = window.lowerBound
            while start < window.upperBound {
                guard let slot = keys.slots[version.rows[start]] else { break }
                let last = version.rows.partition {
                    keys.slots[$0].map { column.order($0, slot) <= 0 } ?? false
                }
                let end = min(last, window.upperBound)
                let range = start - window.lowerBound..<end - window.lowerBound
                found.append((column.values[slot], range))
                start = end
            }
            return found
        }
    }
}

extension SectionSource where Key: OrderedKeyValue {
    /// Of an arrangement, whose groups are the sections.
    init(_ rows: ArrangedRows<Key, Object>, descending isDescending: Bool) {
        self.rows = rows
        compare = { one, other in
            let (first, second) = (OrderedKey(one).bytes, OrderedKey(other).bytes)
            if first == second { return 0 }
            return first.lexicographicallyPrecedes(second) != isDescending ? -1 : 1
        }
        func inListOrder(_ groups: [ArrangedGroup<Key>]) -> [Section] {
            let groups = isDescending ? groups.reversed() : groups
            return zip(groups, groups.ranges()).map { ($0.key, $1) }
        }
        find = {
            // None is left once the store is closed; a damaged index may have fewer rows than keys.
            let all = 0..<rows.version.count
            return inListOrder(rows.groups).map { ($0.key, $0.range.clamped(to: all)) }
                .filter { !$0.range.isEmpty }
        }
        findSince = { position in
            try rows.changes(since: position).map { ($0.edits, inListOrder($0.former)) }
        }
    }
}

extension ArrangedObjects {
    /// The objects of the arrangement, or of one group, kept up to date: a list in the order of the
    /// arrangement, group after group.
    ///
    /// A commit costs what it has changed of the arrangement, whatever the length of the list; over an engine that
    /// does not keep the changes of commits, the list is read again and compared. With pending changes, each look
    /// after an edit makes the keys of all objects that are pending.
    /// - Parameters:
    ///   - group: `nil` for all groups.
    ///   - includesPending: whether pending changes count.
    /// - Throws: ``StoreError/incompleteIndexes(_:)`` while the arrangement is not complete; otherwise
    ///   as ``groups()``.
    public func live(
        in group: Key? = nil, includingPending includesPending: Bool = false
    ) throws -> LiveObjects<Object> {
        LiveObjects(
            try ArrangedRows(self, .none, includesPending: includesPending) { keys in
                KeyRange(prefix: try group.map { try keys.prefix(of: $0) } ?? [])
            })
    }

    /// The objects of one group whose first value in the order lies between two, kept up to date: those at the
    /// indices that ``range(in:from:to:)`` gives.
    ///
    /// ```swift
    /// let sixties = try byArtist.live(in: "Coltrane", from: .including(1960), to: .excluding(1970))
    /// ```
    /// Otherwise as ``live(in:includingPending:)``.
    /// - Parameters:
    ///   - group: the group.
    ///   - lower: the first value, of the type of the order's first property; `nil` for no bound.
    ///   - upper: the last value; `nil` for no bound.
    ///   - includesPending: whether pending changes count.
    /// - Throws: as ``live(in:includingPending:)`` and ``range(in:from:to:)``.
    public func live<Value: IndexedValue>(
        in group: Key, from lower: PartBound<Value>?, to upper: PartBound<Value>? = nil,
        includingPending includesPending: Bool = false
    ) throws -> LiveObjects<Object> {
        LiveObjects(
            try ArrangedRows(self, .none, includesPending: includesPending) { keys in
                try keyRange(in: group, from: lower, to: upper, keys)
            })
    }

    /// The groups of the arrangement with their objects, kept up to date, as the sections of a list.
    ///
    /// ```swift
    /// let byYear = try store.indexes.arrangement("byYear", of: Song.self, groupedBy: Int.self)
    /// let live = try byYear.liveGroups(descending: true)
    /// for try await change in live.changes { table.apply(change) }
    /// ```
    /// With each change, the groups are counted. Otherwise as ``live(in:includingPending:)``.
    /// - Parameters:
    ///   - isDescending: whether the last group comes first. Within each, objects are in the order of
    ///     the arrangement.
    ///   - includesPending: whether pending changes count.
    /// - Throws: as ``live(in:includingPending:)``.
    public func liveGroups(
        descending isDescending: Bool = false, includingPending includesPending: Bool = false
    ) throws -> LiveSections<Key, Object> {
        let rows = try ArrangedRows(
            self, isDescending ? .descending : .ascending, includesPending: includesPending)
        return LiveSections(SectionSource(rows, descending: isDescending))
    }
}
