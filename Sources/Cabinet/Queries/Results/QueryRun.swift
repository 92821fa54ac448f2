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
        case .index(let scan): try store.seek(scan, filter, &counts, body)
        }
    }

    /// How a class's objects are come to.
    func accessPath(of index: Int) throws -> AccessPath {
        try store.accessPath(conditions[index], classes[index])
    }

    /// How many objects meet the condition, limit and offset left aside.
    mutating func countMatches() throws -> Int {
        var sum = 0
        for (index, storedClass) in classes.enumerated() {
            switch conditions[index] {
            case .constant(true): sum += try store.countOfAll(storedClass)
            case .constant(false): continue
            default:
                let before = counts.matched
                try walk(to: index) { _ in true }
                sum += counts.matched - before
            }
        }
        return sum
    }

    /// The matches that the query gives, in its order, with values of `columns`.
    mutating func matches(_ columns: [MatchColumn] = []) throws -> Matches {
        let matches = Matches(
            by: query.sortedBy.map { $0.makeColumn() }, wanted: columns, bound: query.bound)
        try forEachMatch(turn: matches.turn) {
            try matches.append($0)
            return true
        }
        matches.sort()
        matches.keep(query.window(of: matches.places.count))
        return matches
    }

    /// The objects that the query gives, in its order, with their content.
    mutating func objects() throws -> [Object] {
        if query.bound == nil {
            let column = ObjectColumn()
            _ = try matches([column])
            // All are of the class or of a subclass.
            return unsafeBitCast(column.objects, to: [Object].self)
        }
        let places = try matches().places
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
