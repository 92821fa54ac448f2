import CabinetBackend

/// One index of one class in one store: what its keys are made of.
final class ClassIndex: DerivedTable {
    let index: Index
    let sources: [KeySource]
    /// How each of them appends its part: to copy a source takes longer than to append one.
    let appenders: [KeySource.Appender]
    let isUnique: Bool
    let isMultiple: Bool
    let hasSubset: Bool
    // Held by the store, as the tables are that it keeps: asked for each row and index.
    private unowned(unsafe) let keeper: IndexKeeper

    /// Whether code of the class makes its keys of objects, which may read relationships.
    let asksObjects: Bool

    /// What queries know of its columns, once they have asked.
    @exclusivity(unchecked) var planned: AnyObject?
    /// Whether the next commit must find out from records which keys are there: the index is to be unique,
    /// and is not complete.
    @exclusivity(unchecked) var isGuarded = false
    /// How often queries have used it.
    @exclusivity(unchecked) var uses = 0

    convenience init(
        _ index: Index, of storedClass: StoredClass, _ keeper: IndexKeeper
    ) throws(StoreError) {
        guard storedClass.type.isKind(of: index.owner) else {
            throw .badIndex(
                class: storedClass.name, index: index.givenName ?? "",
                reason: "it is of another class, \(index.owner)")
        }
        let fields = keeper.store.fields(of: storedClass)
        guard let name = index.name(fields) else {
            throw .badIndex(
                class: storedClass.name, index: index.givenName ?? "",
                reason:
                    "an index of other than declared fields, of a subset, or of a superclass's "
                    + "property that is final or that the class overrides needs a name")
        }
        let sources = index.columns.map { KeySource($0, of: name, fields) }
        let definition = IndexDefinition(index, sources)
        try self.init(
            index, named: name, sources, definition: definition.text,
            collations: definition.collations, of: storedClass, keeper)
    }

    init(
        _ index: Index, named name: String, _ sources: [KeySource], definition: String,
        collations: String, of storedClass: StoredClass, _ keeper: IndexKeeper
    ) throws(StoreError) {
        self.index = index
        self.keeper = keeper
        self.sources = sources
        appenders = sources.map(\.append)
        (isUnique, isMultiple) = (index.isUnique, index.isMultiple)
        hasSubset = index.subset != nil
        asksObjects =
            index.subset != nil || index.isMultiple || sources.contains { $0.field == nil }
        try super.init(
            kind: IndexKeeper.kind, name: name, of: storedClass, definition: definition,
            collations: collations)
    }

    override class var tablePrefix: String { "Index" }

    override func prepare(for commit: Commit) {
        isGuarded = index.isUnique && !isComplete && !isNew
    }

    override func enter(
        _ row: RowID, from former: RowCursor?, to new: RowCursor?, in commit: Commit
    ) throws {
        try keeper.entered.enter(row, self, from: former, to: new, in: commit.batch)
    }

    override func makeFiller(in store: Store, limit: Int?) -> TableFiller {
        IndexFiller(self, in: store, limit: limit)
    }

    override func makeCheck(
        of number: TableNumber, in store: Store, _ reader: any BackendReader
    ) throws -> TableCheck? { try IndexCheck(self, number, in: store, reader) }
}
