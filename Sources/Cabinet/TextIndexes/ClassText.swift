import CabinetBackend

/// One text index of one class in one store.
final class ClassText {
    let index: TextIndex
    let name: String
    unowned let storedClass: StoredClass
    let source: TextSource
    /// What makes the entries of the index what they are: of another definition, it is made anew.
    let definition: String

    /// Its table, once it is known.
    @exclusivity(unchecked) var table: TableNumber?
    /// What the catalog says of it; `nil` before its first commit.
    @exclusivity(unchecked) var entry: IndexEntry? {
        didSet { isKnown = entry != nil }
    }
    /// Whether the catalog says anything of it: to copy what it says takes longer than to look at a row.
    @exclusivity(unchecked) private(set) var isKnown = false
    /// How often it was made anew, so far as the catalog and the names of tables say.
    @exclusivity(unchecked) var generation: UInt32 = 0
    /// Whether the present commit enters what it changes.
    @exclusivity(unchecked) var takesPart = false
    /// Whether there are rows whose records are to be asked, as of the store's basis.
    @exclusivity(unchecked) var hasFresh = false
    /// Whether the index is being built, as of the present commit: the builder makes its segments.
    @exclusivity(unchecked) var isBeingBuilt = false
    /// Whether a commit that it took no part in has asked for it to be built.
    @exclusivity(unchecked) var isAskedFor = false
    /// What the last search knew of the index.
    @exclusivity(unchecked) var known: KnownText?
    /// For the entries that a search reads.
    let memory = EntryMemory()
    /// The rows whose records are to be asked, as of the store's basis, if they were read.
    @exclusivity(unchecked) var fresh: FreshRows?
    /// What the present commit adds to them.
    @exclusivity(unchecked) var freshOfCommit: [(row: RowID, fresh: FreshRow)] = []
    /// How many commits of this store have followed one another.
    @exclusivity(unchecked) var ownCommits = 0
    /// The texts of objects that the present commit inserts, if these are many.
    private(set) lazy var draft = DraftThread(index.tokenizer)

    init(_ index: TextIndex, of storedClass: StoredClass, _ fields: ClassFields) throws(StoreError)
    {
        let source = TextSource(index, fields)
        guard let name = index.givenName ?? source.fieldName else {
            throw .badIndex(
                class: storedClass.name, index: "",
                reason:
                    "a text index of anything but a declared field, or of a property that the class "
                    + "overrides, needs a name")
        }
        guard IndexName.isValid(name) else {
            throw .badIndex(
                class: storedClass.name, index: name,
                reason: "its name must be 1 to 100 ASCII letters, digits, '_' and '.'")
        }
        self.index = index
        self.name = name
        self.storedClass = storedClass
        self.source = source
        definition =
            TextDefinition(version: index.version, source.origin, index.tokenizer).text
    }

    /// Whether searches may use it: it knows each object as of the store's basis.
    var isComplete: Bool { entry?.state == .complete && isAsDefined }

    /// Whether its entries are made as the program makes them.
    var isAsDefined: Bool { entry?.definition == definition }

    /// Another store may have changed which rows are asked.
    func forgetFresh() {
        fresh = nil
        ownCommits = 0
    }

    /// A commit that may have added to ``fresh`` was made, or given up.
    func endCommit(committed: Bool) {
        ownCommits = committed ? ownCommits + 1 : 0
        guard !freshOfCommit.isEmpty else { return }
        if committed, let known = fresh?.count, known + freshOfCommit.count < Self.freshLimit {
            for (row, entry) in freshOfCommit { fresh?.set(row, entry) }
        } else {
            fresh = nil
        }
        freshOfCommit.removeAll(keepingCapacity: freshOfCommit.count < Self.freshLimit)
    }

    /// No more rows are kept in memory.
    static let freshLimit = 4096

    /// The entry of an index that is begun anew, in `state`.
    func freshEntry(_ state: IndexEntry.State) -> IndexEntry {
        // The catalog may say anything.
        let generation = max(generation &+ 1, 1)
        return IndexEntry(
            name: name,
            table: IndexName.table("Text.\(storedClass.name).\(name)-\(generation)"),
            generation: generation, state: state, definition: definition, collations: "")
    }
}

extension Tokenizer {
    /// Whether each posting of a text index has the length of its text. If not, each text has a last term
    /// that stands at its end: ``TextTerms/end``.
    var hasLengths: Bool { !makesParts }
}
