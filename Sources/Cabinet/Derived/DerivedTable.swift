import CabinetBackend

/// Entries that follow from the records of one class, in a table of their own: an index, a text index. What
/// is known of it in one store.
///
/// A kind of tables is a subclass, which says what entries a record has, and a ``DerivedKeeper``.
class DerivedTable {
    final let kind: UInt8
    /// Unique among those of its kind in the class; letter case does not count.
    final let name: String
    final unowned let storedClass: StoredClass
    /// What entries are made of: a table whose entries were made of something else is made anew.
    final let definition: String
    /// The collations that entries are made with, with their fingerprints.
    final let collations: String

    /// The table, once it is known.
    @exclusivity(unchecked) final var table: TableNumber?
    /// What the catalog says of it; `nil` before its first commit.
    @exclusivity(unchecked) final var entry: DerivedEntry? {
        didSet {
            isKnown = entry != nil
            isAsDefined = entry?.definition == definition && entry?.collations == collations
            isComplete = isAsDefined && entry?.state == .complete
        }
    }
    /// Whether the catalog says anything of it: to copy what it says takes longer than to look at a row.
    @exclusivity(unchecked) private(set) final var isKnown = false
    /// Whether it may be used: it has the entries of each object as of the store's basis.
    @exclusivity(unchecked) private(set) final var isComplete = false
    /// Whether its entries are made as the program makes them.
    @exclusivity(unchecked) private(set) final var isAsDefined = false
    /// Whether the present commit enters what it changes.
    @exclusivity(unchecked) final var takesPart = false
    /// Whether the commit that is being made defines it.
    @exclusivity(unchecked) final var isNew = false
    /// Whether a commit that it took no part in has asked for it to be built.
    @exclusivity(unchecked) final var isAskedFor = false
    /// How often it was made anew, so far as the catalog and the names of tables say.
    @exclusivity(unchecked) final var generation: UInt32 = 0

    /// - Throws: ``StoreError/badIndex(class:index:reason:)``
    init(
        kind: UInt8, name: String, of storedClass: StoredClass, definition: String,
        collations: String
    ) throws(StoreError) {
        guard DerivedTableName.isValid(name) else {
            throw .badIndex(
                class: storedClass.name, index: name,
                reason: "its name must be 1 to 100 ASCII letters, digits, '_' and '.'")
        }
        (self.kind, self.name, self.storedClass) = (kind, name, storedClass)
        (self.definition, self.collations) = (definition, collations)
    }

    /// With the name of its class.
    final var fullName: String { "\(storedClass.name).\(name)" }

    /// What tells it from the tables of all other kinds and classes: an index and a text index may have one
    /// name.
    final var workName: String { "\(kind).\(fullName)" }

    /// A commit is to enter what it changes, and the table is not known.
    final var leftOut: StoreError { .indexLeftOut(class: storedClass.name, index: name) }

    /// The entry of a table that is begun anew, in `state`.
    final func newEntry(_ state: DerivedEntry.State) -> DerivedEntry {
        // A table of its own each time, as the name of a dropped one is spent. The catalog may say anything.
        let generation = max(generation &+ 1, 1)
        return DerivedEntry(
            kind: kind, name: name,
            table: DerivedTableName.table(
                "\(Self.tablePrefix).\(storedClass.name).\(name)-\(generation)"),
            generation: generation, state: state, definition: definition, collations: collations)
    }

    // MARK: What a kind says

    /// How the names of its tables begin.
    class var tablePrefix: String { "Derived" }

    /// The catalog was read again: others may have changed the table.
    func didLook() {}

    /// A commit is made, and ``takesPart`` and ``isNew`` are known of it. Cost: once a commit and class.
    func prepare(for commit: Commit) throws {}

    /// Puts the entries of a record into a batch, and takes out those of the one that it replaces.
    /// - Parameters:
    ///   - former: stands at the record that the commit replaces; `nil` for none.
    ///   - new: stands at what it writes; `nil` for a deleted object.
    func enter(
        _ row: RowID, from former: RowCursor?, to new: RowCursor?, in commit: Commit
    ) throws {}

    /// The record that a commit replaces cannot be read, so its entries are not known. That must not keep the
    /// store from replacing it.
    /// - Returns: `false` if the table must be made anew for that.
    func enterUnreadable(_ row: RowID, _ error: any Error, in commit: Commit) throws -> Bool {
        false
    }

    /// Whether what it has taken out for a record holds though another table cannot read that record.
    var standsByDamaged: Bool { false }

    /// All records of the commit were told.
    func join(_ commit: Commit) throws {}

    /// The commit was made or given up.
    func didEnd(committed: Bool) {}

    /// Whether entries are of several records together, as counts are, and not each of one record: saves change
    /// them by what they change of records, and what a builder has left incomplete is made anew.
    var addsUp: Bool { false }

    /// What enters many records into the table, at most `limit` a commit (`nil`: as many as it chooses).
    func makeFiller(in store: Store, limit: Int?) -> TableFiller {
        TableFiller(self, in: store, limit: limit)
    }

    /// What compares the table, which is complete, with its records as of `reader`; `nil` for nothing.
    func makeCheck(
        of number: TableNumber, in store: Store, _ reader: any BackendReader
    ) throws -> TableCheck? { nil }
}
