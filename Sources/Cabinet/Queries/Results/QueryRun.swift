import CabinetBackend

/// One run of a query in a store.
struct QueryRun<Object: StoredObject> {
    let store: Store
    let query: ObjectQuery<Object>
    let classes: [StoredClass]
    /// What is asked of the objects of each class; of targets of relationships, once indexes were asked for it,
    /// which these are.
    private(set) var conditions: [Condition]
    /// The same, before that.
    private var asked: [Condition]
    private var areResolved: [Bool]
    /// What the objects come behind that are wanted, in the order of the query; `nil` for all.
    var behind: PageBound?
    var counts = ScanCounts()
    /// What indexes name of the first class, if that was asked.
    private var firstPlan: KnownPlan?
    /// Whether the keys of indexes may answer in place of records.
    private var mayReadEntries = true

    /// - Parameter condition: what the query asks of objects of a class.
    /// - Throws: ``StoreError/closed``, ``StoreError/classNotRegistered(_:)``, what `condition`
    ///   throws.
    init(
        _ store: Store, _ query: ObjectQuery<Object>,
        condition: (ClassFields) throws -> Condition
    ) throws {
        let classes = try store.classesToScan(
            Object.self, includingSubclasses: query.includesSubclasses, where: { $0 is Object.Type }
        )
        try self.init(store, query, classes: classes, condition: condition)
    }

    /// - Parameter classes: those whose objects are looked at.
    init(
        _ store: Store, _ query: ObjectQuery<Object>, classes: [StoredClass],
        condition: (ClassFields) throws -> Condition
    ) throws {
        self.store = store
        self.query = query
        self.classes = classes
        conditions = try classes.map { try condition(store.fields(of: $0)) }
        asked = conditions
        areResolved = classes.map { _ in false }
    }

    init(_ store: Store, _ query: ObjectQuery<Object>) throws {
        try self.init(store, query) { try query.condition($0) }
    }

    /// Calls `body`, which may answer by the keys of indexes, and where these do not say enough calls
    /// it once more, to answer by records.
    mutating func byEntries<Result>(
        _ body: (inout QueryRun) throws -> Result
    ) throws -> Result {
        let before = counts
        do { return try body(&self) } catch is Candidate.NotInEntry {
            counts = before
            mayReadEntries = false
            return try body(&self)
        }
    }

    /// Calls `body` with each object that meets the condition, in no order, until it returns
    /// `false`; `turn` before those of each class.
    ///
    /// - Parameter read: of a class, the fields that `body` reads; `nil` if it may read others. Those
    ///   that say so call this within ``byEntries(_:)``.
    mutating func forEachMatch(
        reading read: (ClassFields) -> FieldsRead? = { _ in nil },
        turn: (ClassFields, Int) -> Void = { _, _ in }, _ body: (Candidate) throws -> Bool
    ) throws {
        var goesOn = true
        for (index, storedClass) in classes.enumerated() where goesOn {
            if case .constant(false) = conditions[index] { continue }
            let fields = store.fields(of: storedClass)
            turn(fields, index)
            try walk(to: index, by: accessPath(of: index, reading: read(fields))) {
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
        case .scan:
            let before = counts.examined
            try store.scan(classes[index], filter, &counts, body)
            store.noteScan(
                classes[index], conditions[index], examined: counts.examined - before
            ) { fields in query.sortedBy.map { $0.fieldOrder(fields) } }
        case .rows(let plan): try store.seek(plan, classes[index], filter, &counts, body)
        case .entries(let scan): try store.walk(scan, classes[index], filter, &counts, body)
        }
    }

    /// How a class's objects are come to, of which only the fields `read` are read, or any if that is
    /// `nil`.
    mutating func accessPath(
        of index: Int, for purpose: PathPurpose = .records, reading read: FieldsRead? = nil
    ) throws -> AccessPath {
        try resolveTargets(of: index)
        let isKnown = index == 0 && purpose == .records
        return try store.accessPath(
            conditions[index], classes[index], for: purpose,
            reading: permitted(read), known: isKnown ? firstPlan : nil)
    }

    /// The rows that indexes name for the first class, of which records are read; `nil` if a scan is
    /// quicker.
    mutating func planOfFirst() throws -> RowPlan? {
        if let firstPlan { return firstPlan.plan }
        try resolveTargets(of: 0)
        let found = try store.rowPlan(conditions[0], classes[0])
        firstPlan = found
        return found.plan
    }

    /// Has the condition of one class say which the targets are that it asks something of. Once: to find them is
    /// work.
    mutating func resolveTargets(of index: Int) throws {
        guard !areResolved[index] else { return }
        areResolved[index] = true
        guard let indexes = try store.queryIndexes(of: classes[index]) else { return }
        conditions[index] = try RowPlanner(store, indexes, .records)
            .resolvingTargets(conditions[index])
    }

    /// Forgets what indexes have said, after a walk in vain, in which a filter may have edited objects.
    mutating func forgetPlans() {
        firstPlan = nil
        conditions = asked
        areResolved = classes.map { _ in false }
    }

    /// The same fields; `nil` where the keys of indexes may not answer.
    func permitted(_ read: FieldsRead?) -> FieldsRead? { mayReadEntries ? read : nil }

    /// The matches that the query gives, in its order, with values of `columns`.
    mutating func matches(_ columns: [MatchColumn] = []) throws -> Matches {
        try orderedMatches(columns) ?? partlyOrderedMatches(columns) ?? sortedMatches(columns)
    }

    /// The condition of one class, and that its objects come behind the page before.
    func wholeCondition(of index: Int) -> Condition {
        guard let behind else { return conditions[index] }
        return conditions[index].and(behind.condition(classes[index], at: index))
    }

    /// The matches that the query gives, sorted.
    private mutating func sortedMatches(_ columns: [MatchColumn]) throws -> Matches {
        var sorted = self
        sorted.conditions = conditions.indices.map(wholeCondition)
        sorted.asked = sorted.conditions
        if behind != nil { sorted.firstPlan = nil }
        sorted.behind = nil
        defer { counts = sorted.counts }
        return try sorted.byEntries { run in
            for column in columns { column.keep([]) }
            return try run.sorted(columns)
        }
    }

    private mutating func sorted(_ columns: [MatchColumn]) throws -> Matches {
        let order = query.sortedBy
        let matches = Matches(
            by: order.map { $0.makeColumn() }, wanted: columns, bound: query.bound)
        if columns.isEmpty, query.sortedBy.isEmpty {
            try forEachMatchingRow(matches)
        } else {
            try forEachMatch { fields in
                FieldsRead(order, columns, fields)
            } turn: {
                matches.turn(to: $0, at: $1)
            } _: {
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
            var read: FieldsRead? = FieldsRead()
            if case .constant(true) = conditions[index] { read = nil }
            let path = try accessPath(of: index, for: .rows, reading: read)
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
            if try orderedMatches([column]) ?? partlyOrderedMatches([column]) != nil {
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
    @exclusivity(unchecked) private(set) var objects: [StoredObject] = []

    override func append(_ candidate: Candidate) throws { objects.append(try candidate.object()) }
    override func removeLast() { objects.removeLast() }
    override func reserve(_ count: Int) { objects.reserveCapacity(objects.count + count) }
    override func keep(_ indices: [Int]) { objects = indices.map { objects[$0] } }
}
