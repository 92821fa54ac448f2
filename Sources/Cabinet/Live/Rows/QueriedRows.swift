import CabinetBackend

/// The rows of the objects that a query gives: found by running it, then kept by asking its condition
/// and its order of what has changed.
final class QueriedRows<Object: StoredObject>: LiveRows<Object> {
    private let query: ObjectQuery<Object>
    /// Makes a column that the query is sorted by first, whose values are wanted.
    private let makeFirst: (() -> SortColumn)?
    private let reach: LiveReach
    private let tests: MatchTest<Object>
    private(set) var keys = RowKeys([], of: [], isComplete: true)
    /// What has become of pending objects since the last look: whether their content is another.
    private var pending: [UInt64: Bool] = [:]

    init(
        _ store: Store, _ query: ObjectQuery<Object>, includesPending: Bool,
        first makeFirst: (() -> SortColumn)? = nil
    ) throws {
        self.query = query
        self.makeFirst = makeFirst
        let classes = try store.classesToScan(
            Object.self, includingSubclasses: query.includesSubclasses, where: { $0 is Object.Type }
        )
        reach = try LiveReach(query, classes, in: store)
        tests = try MatchTest(store, query, classes)
        super.init(store, watching: reach.classes, includesPending: includesPending)
        try fill()
    }

    override func makeSame() throws -> LiveRows<Object> {
        try QueriedRows(store, query, includesPending: includesPending, first: makeFirst)
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
        let columns = makeColumns()
        let numbers = try store.withState(includingPending: includesPending) { source in
            var run = try QueryRun(source, wanted)
            let classes = run.classes
            return try run.matches(columns).places.map {
                classes[$0.storedClass].liveNumber(of: $0.row)
            }
        }
        let isComplete = keptRows.map { numbers.count < $0 || $0 == 0 } ?? true
        keys = RowKeys(columns, of: numbers, isComplete: isComplete)
        let rows = RowTree(numbers)
        return ListVersion(rows: rows, window: query.window(of: rows.count))
    }

    private func makeColumns() -> [SortColumn] {
        let first = makeFirst.map { [$0()] } ?? []
        if !reach.isOfObjectsAlone { return first }
        return first + query.sortedBy.dropFirst(first.count).map { $0.makeColumn() }
    }

    // MARK: Following

    override func take(_ news: LiveNews) throws {
        let reason = (news.cause, news.authors)
        if news.isUnknown || failure != nil { return try refill(nil, reason) }
        var looks: [UInt64: Look] = [:]
        for (index, storedClass) in tests.classes.enumerated() {
            for summary in news.summaries {
                for change in summary[storedClass]?.all ?? [] {
                    looks[storedClass.liveNumber(of: change.row), default: []]
                        .formUnion(look(change, reach.fields[index]))
                }
            }
        }
        if includesPending { store.liveQueries.lookAtPending() }
        let pending = pending
        self.pending = [:]
        for (number, isChanged) in pending {
            looks[number, default: []].formUnion(isChanged ? [.asked, .changed] : .asked)
        }
        // Targets in memory say what is pending.
        let isUnsure = !reach.ways.isEmpty && !includesPending && store.hasPendingState
        if !reach.isOfObjectsAlone || isUnsure { return try refill(changed(looks), reason) }
        for way in reach.ways { try addOwners(along: way, news, pending.keys, to: &looks) }
        if try isFetchQuicker(looks.count) { return try refill(changed(looks), reason) }
        if !looks.isEmpty, query.bound != 0 { try apply(looks, reason) }
    }

    private func changed(_ looks: [UInt64: Look]) -> Set<UInt64> {
        Set(looks.filter { $0.value.contains(.changed) }.keys)
    }

    /// The objects must be asked that lead to a target that has changed.
    private func addOwners(
        along way: LiveReach.Way, _ news: LiveNews, _ pending: some Sequence<UInt64>,
        to looks: inout [UInt64: Look]
    ) throws {
        var targets = Set(pending.filter { $0 >> 32 == UInt64(way.target.number) })
        for summary in news.summaries {
            for change in summary[way.target]?.all ?? []
            where change.kind == .changed
                && (change.fields.isWhole || change.fields.intersects(way.fields))
            {
                targets.insert(way.target.liveNumber(of: change.row))
            }
        }
        for number in targets {
            let row = RowID(UInt32(truncatingIfNeeded: number))
            guard let target = try store.object(of: way.target, row) else { continue }
            for owner in target.objects(in: way.inverse) {
                guard let storedClass = owner.storedClass else { continue }
                looks[storedClass.liveNumber(of: owner.rowID), default: []].insert(.asked)
            }
        }
    }

    private func look(_ change: ChangeSummary.Change, _ fields: FieldSet) -> Look {
        // Also what was seen while it was pending: it may have been edited once more before the save.
        let isAsked =
            change.kind != .changed || change.fields.isWhole || change.fields.intersects(fields)
        return isAsked ? [.changed, .asked] : .changed
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

    private func apply(_ looks: [UInt64: Look], _ reason: Reason) throws {
        var changed: Set<UInt64> = []
        let edits = try edits(looks, &changed)
        if edits.isEmpty, changed.isEmpty { return }
        let left = edits.reduce(version.rows.count) {
            $0 + ($1.new == nil ? 0 : 1) - ($1.old == nil ? 0 : 1)
        }
        if keys.boundary != nil, let bound = query.bound, left < bound {
            return try refill(changed, reason)
        }
        let isWhole = query.bound == nil && query.offset <= 0
        let before = isWhole ? ListVersion() : version
        var rows = takeRows()
        var touched: [UInt64: ListEdits.Touched] = [:]
        for number in changed {
            touched[number] = .init(
                old: keys.slots[number].map { keys.index(of: $0, in: rows) }, isChanged: true)
        }
        var leaving: [Int] = []
        for edit in edits {
            guard let slot = edit.old else { continue }
            let index = keys.index(of: slot, in: rows)
            touched[edit.number, default: .init()].old = index
            leaving.append(index)
        }
        for index in leaving.sorted(by: >) { rows.remove(at: index) }
        for edit in edits { keys.set(edit.number, to: nil) }
        let entering = edits.compactMap { edit in edit.new.map { (number: edit.number, slot: $0) } }
        for (number, slot) in entering.sorted(by: { keys.isBefore($0.slot, $1.slot) }) {
            let index = keys.index(of: slot, in: rows)
            rows.insert(number, at: index)
            keys.set(number, to: slot)
            touched[number, default: .init()].new = index
        }
        for number in changed {
            guard let slot = keys.slots[number] else { continue }
            touched[number]?.new = keys.index(of: slot, in: rows)
        }
        finish(rows, isWhole ? Array(touched.values) : nil, before, changed, reason)
    }

    /// What becomes of each object in the list, and which of those that stay have another content.
    private func edits(
        _ looks: [UInt64: Look], _ changed: inout Set<UInt64>
    ) throws -> [Edit] {
        var edits: [Edit] = []
        let isOfRecords = !includesPending && store.hasPendingState
        defer { tests.leave() }
        for (number, look) in looks {
            let old = keys.slots[number]
            if old != nil, look.contains(.changed) { changed.insert(number) }
            guard look.contains(.asked) else { continue }
            var new = try tests.ask(number, ofRecords: isOfRecords) {
                try keys.append($0, number)
            }
            if let slot = new {
                if let old, keys.order(old, slot) == 0 {
                    keys.removeLast()
                    continue
                }
                if keys.isBehindBoundary(slot) {
                    keys.removeLast()
                    new = nil
                }
            }
            if old != nil || new != nil { edits.append(Edit(number: number, old: old, new: new)) }
        }
        return edits
    }

    private func finish(
        _ rows: RowTree, _ touched: [ListEdits.Touched]?, _ before: ListVersion,
        _ changed: Set<UInt64>, _ reason: Reason
    ) {
        var rows = rows
        if let kept = keptRows, rows.count > kept * 2 {
            keys.end(at: rows[kept - 1])
            rows.forEach(in: kept..<rows.count) { keys.set($0, to: nil) }
            rows.truncate(to: kept)
        }
        put(ListVersion(rows: rows, window: query.window(of: rows.count)))
        keys.compact()
        note(
            touched.map { ListEdits($0) } ?? before.edits(to: version, changed: changed), changed,
            reason)
    }
}

// Outside of the generic class, as the runtime would look them up for each object.

/// What may have become of an object: whether its content is another, and whether the query must be
/// asked of it.
private struct Look: OptionSet {
    let rawValue: UInt8
    static let changed = Look(rawValue: 1)
    static let asked = Look(rawValue: 2)
}

/// An object that enters the list, leaves it, or moves: the slots of its values before and after.
private struct Edit {
    let number: UInt64
    let old: Int?
    let new: Int?
}
