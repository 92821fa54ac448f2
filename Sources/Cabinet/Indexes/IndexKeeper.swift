import CabinetBackend

/// Keeps the indexes of a store's classes.
final class IndexKeeper: TypedKeeper<ClassIndex> {
    /// What the present commit enters.
    @exclusivity(unchecked) var entered: EnteredKeys

    required init(_ derived: DerivedTables, in store: Store) {
        entered = EnteredKeys(store)
        super.init(derived, in: store)
    }

    override class var kind: UInt8 { DerivedEntry.kindOfIndexes }

    override class var catchesUp: Bool { true }

    override class func isDeclared(by storedClass: StoredClass) -> Bool {
        !storedClass.type.declaredIndexes.isEmpty
    }

    /// The indexes of `storedClass`, with what the catalog says as of the store's basis; `nil` if nothing is
    /// kept of the class.
    func indexes(of storedClass: StoredClass) throws -> ClassIndexes? {
        try tables(of: storedClass)
    }

    override func declare(_ tables: ClassTables, _ entries: DerivedEntries) throws {
        let storedClass = tables.storedClass
        for index in storedClass.type.declaredIndexes {
            let made = try ClassIndex(index, of: storedClass, self)
            try derived.add(made, to: tables)
            try store.checkCollations(of: made, entries[Self.kind, made.name])
            // Stores that were opened without the index keep it, too.
            store.hub.register(store.indexRegistration(of: made, isDeclared: true))
        }
    }

    override func describe(
        _ entry: DerivedEntry, of storedClass: StoredClass, _ described: StoreSchema.Class
    ) throws(UnusedTable.Reason) -> (table: DerivedTable, problem: String?) {
        (try ClassIndex(entry, of: storedClass, described, self), nil)
    }

    override func begin(_ commit: Commit) throws { entered.removeAll() }

    override func join(_ commit: Commit) throws {
        for index in try entered.settle(in: commit) {
            try derived.change(index, in: commit) { $0.state = .refused }
        }
    }

    override func didEnd(committed number: CommitNumber?) { entered.removeAll() }

    override func add(to report: inout DebugReport) {
        let all = (try? allTables().flatMap(\.all)) ?? []
        report.unusedIndexes = all.filter { $0.isComplete && $0.uses == 0 }.map(\.fullName)
    }
}

/// The indexes of one class in one store.
typealias ClassIndexes = TablesOfKind<ClassIndex>
