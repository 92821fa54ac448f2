import CabinetBackend

/// The rows of an arrangement, or of a part of it, kept by what commits have changed in its tables.
///
/// What is saved is kept in the order of the list; what is pending is laid over it at each look.
final class ArrangedRows<Key: OrderedKeyValue, Object: StoredObject>: LiveRows<Object> {
    let arrangement: ArrangedObjects<Key, Object>
    /// Where the keys of the list lie.
    private let range: (ArrangedKeys) throws -> KeyRange
    private let grouping: GroupPlaces.Grouping
    /// What is saved, as of the commit ``known``: the rows, and, if they are wanted, its groups.
    private var saved = RowTree()
    private var savedGroups: [ArrangedGroup<Key>] = []
    private var known: CommitNumber = 0
    /// What is pending makes of what is saved.
    private var overlay: RowSplice?
    /// The groups of the list, in the order of their keys; none unless they are wanted.
    private(set) var groups: [ArrangedGroup<Key>] = []
    private var pending: Set<UInt64> = []

    /// - Parameters:
    ///   - grouping: whether the groups are wanted, and in which order; only of the whole arrangement.
    ///   - range: where the keys of the list lie.
    init(
        _ arrangement: ArrangedObjects<Key, Object>, _ grouping: GroupPlaces.Grouping,
        includesPending: Bool,
        in range: @escaping (ArrangedKeys) throws -> KeyRange = { _ in .everything }
    ) throws {
        (self.arrangement, self.grouping, self.range) = (arrangement, grouping, range)
        // A key path to this property crashes the compiler 6.3.1 in some orders of files.
        let classes = try arrangement.withKeys { keys in keys.parts.map { $0.storedClass } }
        super.init(arrangement.store, watching: classes, includesPending: includesPending)
        try fill()
    }

    override func makeSame() throws -> LiveRows<Object> {
        try ArrangedRows(arrangement, grouping, includesPending: includesPending, in: range)
    }

    // MARK: Reading the arrangement

    override func find() throws -> ListVersion {
        if includesPending { store.liveQueries.lookAtPending() }
        pending = []
        return try arrangement.withKnownKeys(includingPending: false) { keys in
            try read(keys)
            return try shown(keys)
        }
    }

    private func number(_ key: [UInt8], _ part: Int, _ keys: ArrangedKeys) -> UInt64 {
        let row = key.withUnsafeBytes { OrderedKey.row(of: $0) }
        return keys.parts[part].storedClass.liveNumber(of: row ?? .none)
    }

    /// Reads what is saved anew.
    private func read(_ keys: ArrangedKeys) throws {
        let places = try keys.places(of: range(keys))
        let numbers = try keys.entries(at: places).map { number($0.key, $0.part, keys) }
        savedGroups = grouping == .none ? [] : try keys.groups(Key.self)
        saved = RowTree(GroupPlaces(grouping, savedGroups).inOrder(numbers))
        known = store.basis
    }

    /// The list of what is saved, with what is pending laid over it if that counts.
    private func shown(_ keys: ArrangedKeys) throws -> ListVersion {
        var rows = saved
        if includesPending {
            let (splice, groups) = try makeOverlay(keys)
            rows.apply(splice)
            (overlay, self.groups) = (splice, groups)
        } else {
            groups = savedGroups
        }
        return ListVersion(rows: rows, window: 0..<rows.count)
    }

    private func makeOverlay(
        _ keys: ArrangedKeys
    ) throws -> (RowSplice, groups: [ArrangedGroup<Key>]) {
        let (range, places) = (try range(keys), GroupPlaces(grouping, savedGroups))
        let start = try range.lower.map { try keys.count(before: $0) } ?? 0
        var (leaving, entering): ([TouchedKeys.Entry], [TouchedKeys.Entry]) = ([], [])
        for (part, index) in keys.parts.enumerated() {
            guard store.overlay.hasPending(of: index.storedClass) else { continue }
            let (former, present) = try ArrangedKeys.pendingKeys(of: index, store)
            leaving += former.filter(range.contains).map { .init(key: $0, part: part) }
            entering += present.filter(range.contains).map { .init(key: $0, part: part) }
        }
        var removed: [Int] = []
        leaving = try leaving.filter { entry in
            let index = try keys.count(before: entry.key, of: entry.part) - start
            let place = places.place(of: index)
            // A damaged index may lack what the record says.
            guard 0..<saved.count ~= place, saved[place] == number(entry.key, entry.part, keys)
            else { return false }
            removed.append(place)
            return true
        }
        let inserted = try inListOrder(entering, keys).map { entry in
            let index = try keys.count(before: entry.key, of: entry.part) - start
            let place = places.place(of: index, entering: entry.key)
            return (
                index: min(max(place, 0), saved.count), number: number(entry.key, entry.part, keys)
            )
        }
        let groups = try groups(
            savedGroups, without: leaving.map(\.key), with: entering.map(\.key), keys)
        return (RowSplice(removed: removed.inOrder(), inserted: inserted), groups)
    }

    private func inListOrder(
        _ entries: [TouchedKeys.Entry], _ keys: ArrangedKeys
    ) throws -> [TouchedKeys.Entry] {
        let sorted = entries.inOrder(by: TouchedKeys.Entry.isBefore)
        guard grouping == .descending else { return sorted }
        let prefixes = try sorted.map { try keys.group(of: $0.key, Key.self).prefix }
        return sorted.indices.inOrder { one, other in
            prefixes[one] == prefixes[other]
                ? one < other : prefixes[other].lexicographicallyPrecedes(prefixes[one])
        }.map { sorted[$0] }
    }

    /// The groups once keys have left a list of `former` groups and others have entered it, if they are wanted.
    private func groups(
        _ former: [ArrangedGroup<Key>], without leaving: [[UInt8]], with entering: [[UInt8]],
        _ keys: ArrangedKeys
    ) throws -> [ArrangedGroup<Key>] {
        if grouping == .none { return [] }
        return try keys.groups(former, without: leaving, with: entering)
    }

    override func index(of number: UInt64) -> Int? {
        let found = try? arrangement.withKnownKeys(includingPending: false) { keys in
            let range = try range(keys)
            let row = RowID(UInt32(truncatingIfNeeded: number))
            let part = keys.parts.firstIndex { $0.storedClass.liveNumber(of: row) == number }
            let start = try range.lower.map { try keys.count(before: $0) } ?? 0
            return try part.flatMap {
                try keys.places(ofSaved: [row], $0, range, in: store).first.map { $0 - start }
            }
        }
        guard let place = found ?? nil, place < saved.count else { return nil }
        let inSaved = GroupPlaces(grouping, savedGroups).place(of: place)
        let index = overlay?.newIndex(of: inSaved) ?? inSaved
        guard version.window.contains(index) else { return nil }
        return version.rows[index] == number ? index : nil
    }

    // MARK: Following

    override func note(pending changed: [UInt64: Bool]) {
        pending.formUnion(changed.filter(\.value).keys)
    }

    override func take(_ news: LiveNews) throws {
        let reason = (news.cause, news.authors)
        if includesPending { store.liveQueries.lookAtPending() }
        if news.isUnknown || failure != nil { return try refill(nil, reason) }
        let changed = changed(news)
        pending = []
        let isTaken = try arrangement.withKnownKeys(includingPending: false) { keys in
            if !includesPending {
                guard let edits = try follow(keys) else { return false }
                if edits.isEmpty { return true }
                put(try shown(keys))
                let updated = NumberSet(edits.updates.map { version.rows[$0] })
                note(updated, reason) { edits }
                return true
            }
            if known != store.basis, try follow(keys) == nil { try read(keys) }
            let before = version
            put(try shown(keys))
            let edits = before.edits(to: version, changed: changed, index: index)
            if !edits.isEmpty { note(changed, reason) { edits } }
            return true
        }
        if !isTaken { try refill(changed, reason) }
    }

    /// The objects whose content is another, or may be.
    private func changed(_ news: LiveNews) -> NumberSet {
        var numbers = Array(pending)
        for storedClass in watched {
            news.forEachChange(storedClass) { numbers.append(storedClass.liveNumber(of: $0.row)) }
        }
        return NumberSet(numbers)
    }

    /// Takes up what commits have changed in what is saved. `nil`, with nothing changed, if that is not known, or
    /// the list is not what they have begun with, or to read it again takes less.
    private func follow(_ keys: ArrangedKeys) throws -> ListEdits? {
        let touched = try store.touchedKeys(of: keys.parts, after: known) {
            () throws(BackendError) in try store.backend.changes(after: known)
        }
        guard let touched else { return nil }
        let range = try range(keys)
        let difference = try ArrangementDifference(touched, keys, in: store, range: range)
        if touched.count > 1024, touched.count * 4 > saved.count { return nil }
        let count = try keys.places(of: range).count
        guard difference.leads(from: saved.count, to: count) else { return nil }
        let next = try groups(
            savedGroups, without: difference.leaving.map(\.key),
            with: difference.entering.map(\.key), keys)
        let (old, new) = (GroupPlaces(grouping, savedGroups), GroupPlaces(grouping, next))
        let edits = difference.edits(in: old.place, new.place)
        (known, savedGroups) = (store.basis, next)
        if edits.isEmpty { return edits }
        var rows = takeSaved()
        for index in difference.before.map(old.place).inOrder().reversed() {
            rows.remove(at: index)
        }
        let entering = zip(difference.entering, difference.after)
            .map { (index: new.place(of: $1), number: number($0.key, $0.part, keys)) }
        for entry in entering.inOrder(by: { $0.index < $1.index }) {
            rows.insert(entry.number, at: entry.index)
        }
        saved = rows
        return edits
    }

    /// What is saved for a moment, which this list does not share with its version.
    private func takeSaved() -> RowTree {
        defer { saved = RowTree() }
        if !includesPending { _ = takeRows() }
        return saved
    }

    // MARK: Going on from a position

    override func edits(since position: ChangePosition) throws -> ListEdits? {
        try changes(since: position)?.edits
    }

    /// What leads from the list as of a position to the list as it is, and the groups as of the position;
    /// `nil` if that is not known.
    func changes(
        since position: ChangePosition
    ) throws -> (edits: ListEdits, former: [ArrangedGroup<Key>])? {
        if includesPending { return nil }
        return try arrangement.withKnownKeys(includingPending: false) { keys in
            let touched = try store.touchedKeys(of: keys.parts, after: position.commit) {
                () throws(BackendError) in try store.backend.changes(after: position)
            }
            // What has been committed since ``known`` has not touched the list.
            guard let touched else { return nil }
            let difference = try ArrangementDifference(
                touched, keys, in: store, range: range(keys))
            let count = saved.count - difference.after.count + difference.before.count
            guard difference.leads(from: count, to: saved.count) else { return nil }
            let former = try groups(
                savedGroups, without: difference.entering.map(\.key),
                with: difference.leaving.map(\.key), keys)
            let (old, new) = (GroupPlaces(grouping, former), GroupPlaces(grouping, savedGroups))
            return (difference.edits(in: old.place, new.place), former)
        }
    }
}
