import CabinetBackend

/// One run of a query in a store.
struct QueryRun<Object: StoredObject> {
    let store: Store
    let query: ObjectQuery<Object>
    let classes: [StoredClass]
    let conditions: [Condition]
    var counts = ScanCounts()

    /// - Parameter condition: what the query asks of objects of a class.
    /// - Throws: ``StoreError/closed``, ``StoreError/classNotRegistered(_:)``, what `condition`
    ///   throws.
    init(
        _ store: Store, _ query: ObjectQuery<Object>,
        condition: (ClassFields) throws -> Condition
    ) throws {
        self.store = store
        self.query = query
        classes = try store.classesToScan(
            Object.self, includingSubclasses: query.includesSubclasses, where: { $0 is Object.Type }
        )
        conditions = try classes.map { try condition(store.fields(of: $0)) }
    }

    init(_ store: Store, _ query: ObjectQuery<Object>) throws {
        try self.init(store, query) { try query.condition($0) }
    }

    /// Calls `body` with each object that meets the condition, in no order, until it returns
    /// `false`; `turn` before those of each class.
    mutating func forEachMatch(
        turn: (ClassFields, Int) -> Void = { _, _ in }, _ body: (Candidate) throws -> Bool
    ) throws {
        var goesOn = true
        for (index, storedClass) in classes.enumerated() where goesOn {
            if case .constant(false) = conditions[index] { continue }
            turn(store.fields(of: storedClass), index)
            try walk(to: index) {
                goesOn = try body($0)
                return goesOn
            }
        }
    }

    /// Calls `body` with each object of one class that meets the condition, until it returns `false`.
    mutating func walk(
        to index: Int, by path: AccessPath? = nil, _ body: (Candidate) throws -> Bool
    ) throws {
        let filter = conditions[index].filter
        switch try path ?? accessPath(of: index) {
        case .scan: try store.scan(classes[index], filter, &counts, body)
        case .rows(let plan): try store.seek(plan, classes[index], filter, &counts, body)
        }
    }

    /// How a class's objects are come to.
    func accessPath(of index: Int, for purpose: PathPurpose = .records) throws -> AccessPath {
        try store.accessPath(conditions[index], classes[index], for: purpose)
    }

    /// How many objects meet the condition, limit and offset left aside.
    mutating func countMatches() throws -> Int {
        var sum = 0
        for (index, storedClass) in classes.enumerated() {
            switch conditions[index] {
            case .constant(true): sum += try store.countOfAll(storedClass)
            case .constant(false): continue
            default:
                sum += try countMatches(of: index)
            }
        }
        return sum
    }

    /// Whether an index alone tells how many objects meet the condition.
    func isCountedByIndex() throws -> Bool {
        guard classes.count == 1, case .rows(let plan) = try accessPath(of: 0, for: .count) else {
            return false
        }
        return plan.isExact && plan.knownCount != nil
            && !store.overlay.hasPending(of: classes[0])
    }

    /// How many objects of one class meet the condition.
    private mutating func countMatches(of index: Int) throws -> Int {
        let path = try accessPath(of: index, for: .count)
        let before = counts.matched
        if case .rows(let plan) = path, plan.isExact {
            if let count = plan.knownCount, !store.overlay.hasPending(of: classes[index]) {
                for scan in plan.scans { scan.index.uses += 1 }
                return count
            }
            try store.seekRows(plan, classes[index], conditions[index].filter, &counts) { _ in
                true
            }
        } else {
            try walk(to: index, by: path) { _ in true }
        }
        return counts.matched - before
    }

    /// The matches that the query gives, in its order, with values of `columns`.
    mutating func matches(_ columns: [MatchColumn] = []) throws -> Matches {
        try orderedMatches(columns) ?? sortedMatches(columns)
    }

    /// The matches that the query gives, sorted.
    private mutating func sortedMatches(_ columns: [MatchColumn]) throws -> Matches {
        let matches = Matches(
            by: query.sortedBy.map { $0.makeColumn() }, wanted: columns, bound: query.bound)
        if columns.isEmpty, query.sortedBy.isEmpty {
            try forEachMatchingRow(matches)
        } else {
            try forEachMatch(turn: matches.turn) {
                try matches.append($0)
                return true
            }
        }
        matches.sort()
        matches.keep(query.window(of: matches.places.count))
        return matches
    }

    /// Adds the row of each match to `matches`, by indexes alone where they suffice.
    private mutating func forEachMatchingRow(_ matches: Matches) throws {
        for (index, storedClass) in classes.enumerated() {
            if case .constant(false) = conditions[index] { continue }
            matches.turn(to: store.fields(of: storedClass), at: index)
            let path = try accessPath(of: index, for: .rows)
            if case .rows(let plan) = path, plan.isExact {
                try store.seekRows(plan, storedClass, conditions[index].filter, &counts) {
                    matches.append($0)
                    return true
                }
            } else {
                try walk(to: index, by: path) {
                    try matches.append($0)
                    return true
                }
            }
        }
    }

    /// The objects that the query gives, in its order, with their content.
    mutating func objects() throws -> [Object] {
        let column = ObjectColumn()
        if let bound = query.bound {
            if bound == 0 { return [] }
            if try orderedMatches([column]) != nil {
                return unsafeBitCast(column.objects, to: [Object].self)
            }
        } else {
            _ = try sortedMatches([column])
            // All are of the class or of a subclass.
            return unsafeBitCast(column.objects, to: [Object].self)
        }
        let places = try sortedMatches([]).places
        return try places.compactMap { place in
            try store.object(of: classes[place.storedClass], place.row)
                .map { unsafeDowncast($0, to: Object.self) }
        }
    }
}

/// The objects of all matches.
final class ObjectColumn: MatchColumn {
    private(set) var objects: [StoredObject] = []

    override func append(_ candidate: Candidate) throws { objects.append(try candidate.object()) }
    override func removeLast() { objects.removeLast() }
    override func keep(_ indices: [Int]) { objects = indices.map { objects[$0] } }
}
