import CabinetBackend

/// Which of the matches that come are wanted: the step of limit and offset.
struct MatchWindow {
    /// How many are left out at the front.
    var toSkip = 0
    /// How many are wanted then.
    var left = Int.max

    /// How many matches are looked at in all.
    var end: Int { left.addingReportingOverflow(toSkip).overflow ? .max : left + toSkip }

    /// Which of the next matches are wanted.
    mutating func take(_ rows: ArraySlice<RowID>) -> ArraySlice<RowID> {
        let taken = rows.dropFirst(toSkip).prefix(left)
        toSkip -= min(toSkip, rows.count)
        left -= taken.count
        return taken
    }
}

extension QueryRun {
    /// The matches that the query gives, in its order, with values of `columns`.
    /// - Parameter order: columns of the query's order that are to have the values of the matches.
    mutating func matches(
        _ columns: [MatchColumn] = [], inOrderOf order: [SortColumn]? = nil
    ) throws -> Matches {
        let (sortedBy, wanted) = (query.sortedBy, columns + (order ?? []))
        return try replanning { run in
            for column in wanted { column.keep([]) }
            let onlyRows = wanted.isEmpty
            let sourcePlan = try run.sourcePlan(
                onlyRows: onlyRows, for: onlyRows && sortedBy.isEmpty ? .rows : .records
            ) { FieldsRead(sortedBy, wanted, $0) }
            return try run.matches(by: sourcePlan, columns, inOrderOf: order)
        }
    }

    /// The objects that the query gives, in its order, with their content.
    mutating func objects() throws -> [Object] {
        if query.bound == 0 { return [] }
        let column = ObjectColumn()
        let (order, isBounded) = (query.sortedBy, query.bound != nil)
        let places = try replanning { run in
            column.keep([])
            // Of what is sorted, only the first ones become objects.
            let sourcePlan = try run.sourcePlan(
                for: isBounded && order.isEmpty ? .rows : .records
            ) { isBounded ? FieldsRead(order, [], $0) : nil }
            let isLate = isBounded && sourcePlan.scan == nil
            return try run.matches(by: sourcePlan, isLate ? [] : [column]).places
        }
        if column.objects.count == places.count {
            // All are of the class or of a subclass.
            return unsafeBitCast(column.objects, to: [Object].self)
        }
        return try places.compactMap { place in
            try store.object(of: classes[place.storedClass], place.row)
                .map { unsafeDowncast($0, to: Object.self) }
        }
    }

    /// The matches that the query gives, by sources of its own.
    mutating func matches(
        by sourcePlan: SourcePlan, _ columns: [MatchColumn], inOrderOf given: [SortColumn]? = nil
    ) throws -> Matches {
        let isInOrder = sourcePlan.scan?.isWhole ?? false
        let order = isInOrder ? [] : given ?? query.sortedBy.map { $0.makeColumn() }
        let columns = isInOrder ? columns + (given ?? []) : columns
        let matches = Matches(
            by: order, wanted: columns, bound: isInOrder ? nil : query.bound,
            areInOrder: isInOrder)
        if let limit = query.limit, limit <= 0 { return matches }
        var window = isInOrder ? query.window : MatchWindow()
        let onlyRows = order.isEmpty && columns.isEmpty
        switch sourcePlan {
        case .ordered(let scan):
            matches.turn(to: store.fields(of: classes[0]), at: 0)
            if isInOrder { matches.reserve(min(window.left, 1024)) }
            try source(by: scan, &window)
                .use(&counts) { try $0.add(to: matches, &window, onlyRows: onlyRows) }
        case .classes(let paths):
            for (index, path) in paths.enumerated() {
                if case .constant(false) = conditions[index] { continue }
                matches.turn(to: store.fields(of: classes[index]), at: index)
                try withSource(by: path, of: index) {
                    try $0.add(to: matches, &window, onlyRows: onlyRows)
                }
            }
        }
        matches.sort()
        if !isInOrder { matches.keep(query.window(of: matches.places.count)) }
        return matches
    }

    /// Calls `body` with the source of the objects of one class that meet the condition.
    mutating func withSource<Result>(
        by path: AccessPath, of index: Int, _ body: (MatchSource) throws -> Result
    ) throws -> Result {
        let condition = wholeCondition(of: index)
        let source = try store.source(by: path, of: classes[index], condition.filter)
        let result = try source.use(&counts, body)
        if case .scan = path {
            store.noteScan(classes[index], condition, examined: source.examined) { fields in
                query.sortedBy.map { $0.fieldOrder(fields) }
            }
        }
        return result
    }

    /// Calls `body` with each object that meets the condition, in no order, until it returns
    /// `false`; `turn` before those of each class. With a limit or an offset, with those that the query gives.
    ///
    /// - Parameter read: of a class, the fields that `body` reads; `nil` if it may read others. Those
    ///   that say so call this within ``replanning(_:)``.
    mutating func forEachMatch(
        reading read: (ClassFields) -> FieldsRead? = { _ in nil },
        turn: (ClassFields, Int) -> Void = { _, _ in }, _ body: (RowCursor) throws -> Bool
    ) throws {
        if query.isCut { return try forEachGiven(turn: turn, body) }
        var goesOn = true
        for (index, storedClass) in classes.enumerated() where goesOn {
            if case .constant(false) = conditions[index] { continue }
            let fields = store.fields(of: storedClass)
            turn(fields, index)
            try withSource(by: accessPath(of: index, reading: read(fields)), of: index) {
                try $0.forEachMatch {
                    goesOn = try body($0)
                    return goesOn
                }
            }
        }
    }

    /// Calls `body` with each object that the query gives, class by class, until it returns `false`.
    private mutating func forEachGiven(
        turn: (ClassFields, Int) -> Void, _ body: (RowCursor) throws -> Bool
    ) throws {
        let places = try matches().places
        for (index, storedClass) in classes.enumerated() {
            let fields = store.fields(of: storedClass)
            turn(fields, index)
            let cursor = RowCursor(store, fields)
            for place in places where place.storedClass == index {
                guard let object = try store.object(of: storedClass, place.row) else { continue }
                cursor.take(object)
                guard try body(cursor) else { return }
            }
        }
    }
}

extension MatchSource {
    /// Adds the matches that are wanted.
    ///
    /// - Parameter onlyRows: whether nothing but the rows are wanted.
    func add(to matches: Matches, _ window: inout MatchWindow, onlyRows: Bool) throws {
        if onlyRows, let source = exactRows {
            while window.left > 0, let rows = try source.nextRows() {
                matches.append(window.take(rows))
            }
            return
        }
        try forEachMatch { cursor in
            if window.toSkip > 0 {
                window.toSkip -= 1
                return true
            }
            try matches.append(cursor)
            window.left -= 1
            return window.left > 0
        }
    }
}

extension ObjectQuery {
    /// What limit and offset say of matches that come in the order of the query.
    fileprivate var window: MatchWindow {
        MatchWindow(toSkip: max(offset, 0), left: limit.map { max($0, 0) } ?? .max)
    }
}

/// The objects of all matches.
final class ObjectColumn: MatchColumn {
    @exclusivity(unchecked) private(set) var objects: [StoredObject] = []

    override func append(_ cursor: RowCursor) throws { objects.append(try cursor.object()) }
    override func removeLast() { objects.removeLast() }
    override func reserve(_ count: Int) { objects.reserveCapacity(objects.count + count) }
    override func keep(_ indices: [Int]) { objects = indices.map { objects[$0] } }
}
