import CabinetBackend

/// One index of one class in one store: what its keys are made of, and how far it is as of the store's
/// basis.
final class ClassIndex {
    let index: Index
    let name: String
    unowned let storedClass: StoredClass
    let sources: [KeySource]
    let definition: IndexDefinition

    /// Whether code of the class makes its keys of objects, which may read relationships.
    let asksObjects: Bool

    /// Its table, once it is known.
    @exclusivity(unchecked) var table: TableNumber?
    /// What the catalog says of it; `nil` before its first commit.
    @exclusivity(unchecked) var entry: IndexEntry? {
        didSet {
            isAsDefined =
                entry?.definition == definition.text && entry?.collations == definition.collations
            isComplete = isAsDefined && entry?.state == .complete
        }
    }
    /// Whether queries may use it: it has a key for each object as of the store's basis.
    @exclusivity(unchecked) private(set) var isComplete = false
    /// Whether its keys are made as the program makes them.
    @exclusivity(unchecked) private(set) var isAsDefined = false
    /// What queries know of its columns, once they have asked.
    @exclusivity(unchecked) var planned: AnyObject?
    /// Whether the next commit enters what it changes.
    @exclusivity(unchecked) var takesPart = false
    /// Whether the next commit must find out from records which keys are there: the index is to be unique,
    /// and is not complete.
    @exclusivity(unchecked) var isGuarded = false
    /// Whether the commit that is being made defines it.
    @exclusivity(unchecked) var isNew = false
    /// Whether a commit has asked for its being built.
    @exclusivity(unchecked) var isAskedFor = false
    /// How often it was made anew, so far as the catalog says.
    @exclusivity(unchecked) var generation: UInt32 = 0
    /// How often queries have used it.
    @exclusivity(unchecked) var uses = 0

    init(_ index: Index, of storedClass: StoredClass, _ fields: ClassFields) throws(StoreError) {
        guard let name = index.name(fields) else {
            throw .badIndex(
                class: storedClass.name, index: index.givenName ?? "",
                reason:
                    "an index of other than declared fields, of a subset, or of a superclass's "
                    + "property that is final or that the class overrides needs a name")
        }
        self.index = index
        self.name = name
        self.storedClass = storedClass
        sources = index.columns.map { KeySource($0, of: name, fields) }
        definition = IndexDefinition(index, sources)
        asksObjects =
            index.subset != nil || index.isMultiple || sources.contains { $0.field == nil }
        guard IndexName.isValid(name) else {
            throw .badIndex(
                class: storedClass.name, index: name,
                reason: "its name must be 1 to 100 ASCII letters, digits, '_' and '.'")
        }
    }

    /// With the name of its class.
    var fullName: String { "\(storedClass.name).\(name)" }

    /// A commit is to enter keys, and the table is not known.
    var leftOut: StoreError { .indexLeftOut(class: storedClass.name, index: name) }

    /// The entry of an index that is begun anew, in `state`.
    func freshEntry(_ state: IndexEntry.State) -> IndexEntry {
        // A table of its own each time, as the name of a dropped one is spent.
        let generation = generation &+ 1
        return IndexEntry(
            name: name, table: IndexName.table("Index.\(storedClass.name).\(name)-\(generation)"),
            generation: generation, state: state, definition: definition.text,
            collations: definition.collations)
    }
}
