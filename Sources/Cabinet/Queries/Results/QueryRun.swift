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
    private let asked: [Condition]
    private var areResolved: [Bool]
    /// What the objects come behind that are wanted, in the order of the query; `nil` for all.
    var behind: PageBound?
    var counts = ScanCounts()
    /// What indexes name of the first class, if that was asked.
    private var firstPlan: KnownPlan?
    /// Whether the keys of indexes may answer in place of records.
    private var mayReadEntries = true
    /// Whether the order of an index may be that of the query.
    private(set) var mayFollowOrder = true

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
        try self.init(store, query) { try query.criterion.condition($0, in: store) }
    }

    /// Calls `body`, and where an index turns out not to do calls it once more, to plan without that: keys
    /// that do not say enough, or an order in which too much is looked at in vain.
    mutating func replanning<Result>(
        _ body: (inout QueryRun) throws -> Result
    ) throws -> Result {
        let before = counts
        while true {
            do { return try body(&self) } catch is RowCursor.NotInEntry where mayReadEntries {
                mayReadEntries = false
            } catch is OrderedWalk.Unusable where mayFollowOrder {
                mayFollowOrder = false
                // A filter may have edited objects.
                firstPlan = nil
                conditions = asked
                areResolved = classes.map { _ in false }
            }
            counts = before
        }
    }

    /// The condition of one class, and that its objects come behind the page before.
    func wholeCondition(of index: Int) -> Condition {
        guard let behind else { return conditions[index] }
        return conditions[index].and(behind.condition(classes[index], at: index))
    }

    /// How a class's objects are come to, of which only the fields `read` are read, or any if that is
    /// `nil`.
    mutating func accessPath(
        of index: Int, for purpose: PathPurpose = .records, reading read: FieldsRead? = nil
    ) throws -> AccessPath {
        try resolveTargets(of: index)
        let isKnown = index == 0 && purpose == .records && behind == nil
        return try store.accessPath(
            wholeCondition(of: index), classes[index], for: purpose,
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
        conditions[index] = try RowPlanner(store, classes[index], .records)
            .resolvingTargets(conditions[index])
    }

    /// The same fields; `nil` where the keys of indexes may not answer.
    func permitted(_ read: FieldsRead?) -> FieldsRead? { mayReadEntries ? read : nil }
}
