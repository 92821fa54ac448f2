import CabinetBackend

/// What one store does for one kind of derived tables, beside what it does for all.
class DerivedKeeper {
    final unowned let store: Store
    final unowned let derived: DerivedTables

    required init(_ derived: DerivedTables, in store: Store) {
        (self.derived, self.store) = (derived, store)
    }

    /// The number of the kind, as the catalog has it: 1 for indexes, 2 for text indexes. Programs that do not
    /// know it leave the tables behind.
    class var kind: UInt8 { 0 }

    /// Whether a table that other programs have left behind is brought up to date, and not made anew.
    class var catchesUp: Bool { false }

    /// Whether a class declares tables of the kind.
    class func isDeclared(by storedClass: StoredClass) -> Bool { false }

    /// Adds the tables that the class of `tables` declares, of which the catalog says `entries`, and registers
    /// what other stores over the backend need know of them.
    func declare(_ tables: ClassTables, _ entries: DerivedEntries) throws {}

    /// Makes a table of the kind as the catalog describes it, of a class that the catalog describes, too.
    /// - Parameter described: the class.
    /// - Returns: the table; with why it cannot be used, if only its entries cannot.
    /// - Throws: ``UnusedTable/Reason`` if the table cannot be used without its class.
    func describe(
        _ entry: DerivedEntry, of storedClass: StoredClass, _ described: StoreSchema.Class
    ) throws(UnusedTable.Reason) -> (table: DerivedTable, problem: String?) {
        throw UnusedTable.Reason(text: "this program does not know its kind")
    }

    /// A commit begins, is complete, was made or, `nil`, given up: see ``CommitParticipant``.
    func begin(_ commit: Commit) throws {}
    func join(_ commit: Commit) throws {}
    func didEnd(committed number: CommitNumber?) {}

    /// Whether a table of the kind that is complete is to be brought into form.
    func hasUpkeep() throws -> Bool { false }

    /// Brings the complete tables of the kind into form.
    func keepInForm(_ upkeep: UpkeepTask) throws {}

    /// Adds what it knows to a report on its store.
    func add(to report: inout DebugReport) {}
}

/// A keeper that knows the tables of its kind.
class TypedKeeper<Table: DerivedTable>: DerivedKeeper {
    /// One for each class that was asked for: there are few.
    private final var known: [TablesOfKind<Table>] = []

    /// The tables of `storedClass`, with what the catalog says as of the store's basis; `nil` if nothing is
    /// kept of the class.
    final func tables(of storedClass: StoredClass) throws -> TablesOfKind<Table>? {
        try derived.tables(of: storedClass).map(ofKind)
    }

    /// All classes of which something is kept.
    final func allTables() throws -> [TablesOfKind<Table>] { try derived.allTables().map(ofKind) }

    private final func ofKind(_ tables: ClassTables) -> TablesOfKind<Table> {
        let place = known.firstIndex { $0.tables === tables }
        if let place, known[place].isCurrent { return known[place] }
        let made = TablesOfKind<Table>(Self.kind, of: tables)
        if let place { known[place] = made } else { known.append(made) }
        return made
    }
}
