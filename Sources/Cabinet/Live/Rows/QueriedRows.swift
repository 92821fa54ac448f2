import CabinetBackend

/// The rows of the objects that a query gives: found by running it, then kept by asking its condition
/// and its order of what has changed.
final class QueriedRows<Object: StoredObject>: LiveRows<Object> {
    private let query: ObjectQuery<Object>
    /// Makes a column that the query is sorted by first, whose values are wanted.
    private let makeFirst: (() -> SortColumn)?
    private let reach: LiveReach
    /// Whether the objects are shown, so that other content of one is a change; else they are counted.
    private let showsContent: Bool
    private let tests: MatchTest<Object>
    private(set) var keys = RowKeys([], of: [], isComplete: true)
    /// What has become of pending objects since the last look: whether their content is another.
    private var pending: [UInt64: Bool] = [:]

    init(
        _ store: Store, _ query: ObjectQuery<Object>, includesPending: Bool,
        showsContent: Bool = true, first makeFirst: (() -> SortColumn)? = nil
    ) throws {
        self.query = query
        self.showsContent = showsContent
        self.makeFirst = makeFirst
        let classes = try store.classesToScan(
            Object.self, includingSubclasses: query.includesSubclasses, where: { $0 is Object.Type }
        )
        reach = try LiveReach(query, classes, in: store)
        tests = try MatchTest(store, query, classes)
        super.init(
            store, watching: reach.classes,
            interests: reach.interests(showingContent: showsContent),
            includesPending: includesPending)
        try fill()
    }

    override func makeSame() throws -> LiveRows<Object> {
        try QueriedRows(
            store, query, includesPending: includesPending, showsContent: showsContent,
            first: makeFirst)
    }

    override var mayRegroup: Bool { makeFirst != nil && !reach.isOfObjectsAlone }

    override func index(of number: UInt64) -> Int? {
        guard reach.isOfObjectsAlone, let slot = keys.slots[number] else { return nil }
        let index = keys.index(of: slot, in: version.rows)
        return version.window.contains(index) ? index - version.window.lowerBound : nil
    }

    // MARK: Running the query

    /// How many rows are kept so that the list stays full for a while; `nil` for all.
    private var keptRows: Int? {
        query.bound.flatMap { $0 == 0 ? 0 : $0 < 1 << 32 ? $0 * 2 + 32 : nil }
    }

    override func find() throws -> ListVersion {
        if includesPending { store.liveQueries.lookAtPending() }
        pending = [:]
        var wanted = query
        (wanted.limit, wanted.offset, wanted.prefetching) = (keptRows, 0, [])
        let order = reach.isOfObjectsAlone && makeFirst == nil ? makeColumns() : nil
        let columns = order ?? makeColumns()
        let numbers = try store.withState(includingPending: includesPending) { source in
            var run = try QueryRun(source, wanted)
            let classes = run.classes.map { $0.liveNumber(of: .none) }
            return try run.matches(order == nil ? columns : [], inOrderOf: order).places.map {
                classes[$0.storedClass] | UInt64($0.row.rawValue)
            }
        }
        let isComplete = keptRows.map { numbers.count < $0 || $0 == 0 } ?? true
        keys = RowKeys(columns, of: numbers, isComplete: isComplete)
        let rows = RowTree(numbers)
        return ListVersion(rows: rows, window: query.window(of: rows.count))
    }

    /// Those of the query's order whose values are kept.
    private func makeColumns() -> [SortColumn] {
        let first = makeFirst.map { [$0()] } ?? []
        if !reach.isOfObjectsAlone { return first }
        return first + query.sortedBy.dropFirst(first.count).map { $0.makeColumn() }
    }

    // MARK: Following

    override func take(_ news: LiveNews) throws {
        let reason = (news.cause, news.authors)
        if news.isUnknown || failure != nil { return try refill(nil, reason) }
        if includesPending { store.liveQueries.lookAtPending() }
        let pending = pending
        self.pending = [:]
        // Targets in memory say what is pending.
        let isUnsure = !reach.ways.isEmpty && !includesPending && store.hasPendingState
        let count = tests.classes.reduce(pending.count) { $0 + news.countOfChanges($1) }
        if !reach.isOfObjectsAlone || isUnsure { return try refill(changed(news, pending), reason) }
        if try isFetchQuicker(count) { return try refill(changed(news, pending), reason) }
        let looks = try looks(news, pending)
        if !looks.isEmpty, query.bound != 0 { try apply(looks, reason) }
    }

    /// The objects whose content is another, or may be.
    private func changed(_ news: LiveNews, _ pending: [UInt64: Bool]) -> NumberSet {
        if !showsContent { return NumberSet() }
        var numbers = pending.filter(\.value).map(\.key)
        for storedClass in tests.classes {
            let first = storedClass.liveNumber(of: .none)
            numbers.reserveCapacity(numbers.count + news.countOfChanges(storedClass))
            news.forEachChange(storedClass) { numbers.append(first | UInt64($0.row.rawValue)) }
        }
        return NumberSet(numbers)
    }

    /// The objects to look at, by their numbers.
    private func looks(_ news: LiveNews, _ pending: [UInt64: Bool]) throws -> [Look] {
        var looks: [Look] = []
        for (index, storedClass) in tests.classes.enumerated() {
            let fields = reach.fields[index]
            news.forEachChange(storedClass) { change in
                // Also what was seen while it was pending: it may have been edited once more before the save.
                looks.append(
                    Look(
                        number: storedClass.liveNumber(of: change.row), isChanged: true,
                        isAsked: change.kind != .changed || change.fields.isWhole
                            || change.fields.intersects(fields)))
            }
        }
        for (number, isChanged) in pending {
            looks.append(Look(number: number, isChanged: isChanged, isAsked: true))
        }
        for way in reach.ways { try addOwners(along: way, news, pending.keys, to: &looks) }
        return looks.merged()
    }

    /// The objects must be asked that lead to a target that has changed.
    private func addOwners(
        along way: LiveReach.Way, _ news: LiveNews, _ pending: some Sequence<UInt64>,
        to looks: inout [Look]
    ) throws {
        var targets = pending.filter { $0 >> 32 == UInt64(way.target.number) }
        news.forEachChange(way.target) { change in
            if change.kind == .changed,
                change.fields.isWhole || change.fields.intersects(way.fields)
            {
                targets.append(way.target.liveNumber(of: change.row))
            }
        }
        for number in NumberSet(targets).all {
            let row = RowID(UInt32(truncatingIfNeeded: number))
            var owners = try store.object(of: way.target, row)?.objects(in: way.inverse) ?? []
            if includesPending {
                // A pending list knows nothing of what others have saved since.
                owners += try store.savedObjects(of: way.target, row, in: way.inverse)
            }
            for owner in owners {
                guard let storedClass = owner.storedClass else { continue }
                looks.append(
                    Look(
                        number: storedClass.liveNumber(of: owner.rowID), isChanged: false,
                        isAsked: true))
            }
        }
    }

    override func note(pending changed: [UInt64: Bool]) {
        pending.merge(changed) { $0 || $1 }
    }

    /// Whether so much has changed that running the query again takes less than asking each object.
    private func isFetchQuicker(_ count: Int) throws -> Bool {
        guard query.bound == nil, count > 1024 else { return false }
        var records = 0
        for storedClass in tests.classes {
            records += try store.reader.count(of: storedClass.table)
        }
        return count * 4 > records
    }

    // MARK: Changing the list

    private func apply(_ looks: [Look], _ reason: LiveReason) throws {
        let edits = try edits(looks)
        if edits.isEmpty { return }
        let changed = NumberSet(edits.filter(\.isChanged).map(\.number))
        let left = edits.reduce(version.rows.count) {
            $0 + ($1.new == nil ? 0 : 1) - ($1.old == nil ? 0 : 1)
        }
        if keys.boundary != nil, let bound = query.bound, left < bound {
            return try refill(changed, reason)
        }
        let steps = RowSteps(edits, keys, in: version.rows)
        for edit in edits where edit.isMoving { keys.set(edit.number, to: edit.new) }
        guard query.bound == nil, query.offset <= 0 else {
            let before = version
            var rows = version.rows
            rows.apply(steps.splice)
            put(rows)
            return note(from: before, changed, reason)
        }
        var rows = takeRows()
        rows.apply(steps.splice)
        put(rows)
        note(changed, reason) { ListEdits(from: steps.old, to: steps.new, changed: changed) }
    }

    /// What becomes of each object that is in the list, or was.
    private func edits(_ looks: [Look]) throws -> [RowEdit] {
        var edits: [RowEdit] = []
        let isOfRecords = !includesPending && store.hasPendingState
        tests.prepare(looks.lazy.filter(\.isAsked).map(\.number))
        defer { tests.leave() }
        for look in looks {
            let number = look.number
            let old = keys.slots[number]
            var edit = RowEdit(
                number: number, old: old, new: old,
                isChanged: look.isChanged && showsContent && old != nil)
            if look.isAsked {
                edit.new = try tests.ask(number, ofRecords: isOfRecords) {
                    try keys.append($0, number)
                }
            }
            if look.isAsked, let slot = edit.new {
                if let old, keys.order(old, slot) == 0 {
                    keys.removeLast()
                    edit.new = old
                } else if keys.isBehindBoundary(slot) {
                    keys.removeLast()
                    edit.new = nil
                }
            }
            if edit.isMoving || edit.isChanged { edits.append(edit) }
        }
        return edits
    }

    private func put(_ rows: RowTree) {
        var rows = rows
        if let kept = keptRows, rows.count > kept * 2 {
            keys.end(at: rows[kept - 1])
            rows.forEach(in: kept..<rows.count) { keys.set($0, to: nil) }
            rows.truncate(to: kept)
        }
        put(ListVersion(rows: rows, window: query.window(of: rows.count)))
        keys.compact()
    }
}

// Outside of the generic class, as the runtime would look them up for each object.

/// What may have become of an object: whether its content is another, and whether the query must be
/// asked of it.
private struct Look {
    let number: UInt64
    var isChanged: Bool
    var isAsked: Bool
}

extension [Look] {
    /// In the order of the numbers, each once.
    fileprivate func merged() -> [Look] {
        if zip(self, dropFirst()).allSatisfy({ $0.number < $1.number }) { return self }
        var merged: [Look] = []
        for look in sorted(by: { $0.number < $1.number }) {
            if let last = merged.indices.last, merged[last].number == look.number {
                merged[last].isChanged = merged[last].isChanged || look.isChanged
                merged[last].isAsked = merged[last].isAsked || look.isAsked
            } else {
                merged.append(look)
            }
        }
        return merged
    }
}
