import CabinetBackend
import CabinetTextSearch

/// One text index of one class in one store.
final class ClassText: DerivedTable {
    let index: TextIndex
    let source: TextSource
    unowned let keeper: TextKeeper

    /// Whether there are rows whose records are to be asked, as of the store's basis.
    @exclusivity(unchecked) var hasUnmerged = false
    /// Whether the index is being built, as of the present commit: the builder makes its segments.
    @exclusivity(unchecked) var isBeingBuilt = false
    /// Whether the present commit makes segments of what it inserts.
    @exclusivity(unchecked) var makesSegments = false
    /// What the last search knew of the index.
    @exclusivity(unchecked) var known: KnownText?
    /// For the entries that a search reads.
    let memory = EntryMemory()
    /// The rows whose records are to be asked, as of the store's basis, if they were read.
    @exclusivity(unchecked) var unmerged: [RowID: UnmergedRow]?
    /// What the present commit adds to them.
    @exclusivity(unchecked) var unmergedOfCommit: [(row: RowID, unmerged: UnmergedRow)] = []
    /// How many commits of this store have followed one another.
    @exclusivity(unchecked) var ownCommits = 0
    /// The texts of objects that the present commit inserts, if these are many.
    private(set) lazy var draft = DraftThread(index.tokenizer)

    convenience init(
        _ index: TextIndex, of storedClass: StoredClass, _ keeper: TextKeeper
    ) throws(StoreError) {
        guard storedClass.type.isKind(of: index.owner) else {
            throw .badIndex(
                class: storedClass.name, index: index.givenName ?? "",
                reason: "it is of another class, \(index.owner)")
        }
        let source = TextSource(index, keeper.store.fields(of: storedClass))
        guard let name = index.givenName ?? source.fieldName else {
            throw .badIndex(
                class: storedClass.name, index: "",
                reason:
                    "a text index of anything but a declared field, or of a property that the class "
                    + "overrides, needs a name")
        }
        try self.init(
            source, named: name,
            definition: TextDefinition(version: index.version, source.origin, index.tokenizer).text,
            of: storedClass, keeper)
    }

    init(
        _ source: TextSource, named name: String, definition: String, of storedClass: StoredClass,
        _ keeper: TextKeeper
    ) throws(StoreError) {
        index = source.index
        self.source = source
        self.keeper = keeper
        try super.init(
            kind: TextKeeper.kind, name: name, of: storedClass, definition: definition,
            collations: "")
    }

    override class var tablePrefix: String { "Text" }

    /// Another store may have changed which rows are asked.
    override func didLook() {
        unmerged = nil
        ownCommits = 0
    }

    override func prepare(for commit: Commit) throws {
        makesSegments = commit.isSave && storedClass.pendingInserts >= TextKeeper.segmentFrom
        guard makesSegments else { return }
        hasUnmerged = try isNew ? false : table.map(keeper.hasUnmerged) ?? false
        isBeingBuilt = entry?.state == .building
    }

    override func enter(
        _ row: RowID, from former: RowCursor?, to new: RowCursor?, in commit: Commit
    ) throws {
        if takesPart { try keeper.enter(row, self, from: former, to: new, in: commit) }
    }

    override func enterUnreadable(
        _ row: RowID, _ error: any Error, in commit: Commit
    ) throws -> Bool {
        try keeper.replaceUnreadable(self, row, error, in: commit)
        return true
    }

    /// It notes how long the text was, and takes nothing else out.
    override var standsByDamaged: Bool { true }

    override func join(_ commit: Commit) throws {
        if makesSegments, !draft.isEmpty { try keeper.writeSegment(of: self, in: commit) }
    }

    override func didEnd(committed: Bool) {
        if makesSegments {
            makesSegments = false
            if !draft.isEmpty { draft.removeAll() }
        }
        // It may have added to ``unmerged``.
        ownCommits = committed ? ownCommits + 1 : 0
        guard !unmergedOfCommit.isEmpty else { return }
        if committed, let known = unmerged?.count,
            known + unmergedOfCommit.count < Self.unmergedLimit
        {
            for (row, entry) in unmergedOfCommit { unmerged?[row] = entry }
        } else {
            unmerged = nil
        }
        unmergedOfCommit.removeAll(keepingCapacity: unmergedOfCommit.count < Self.unmergedLimit)
    }

    /// No more rows are kept in memory.
    static let unmergedLimit = 4096

    override var addsUp: Bool { true }

    override func makeFiller(in store: Store, limit: Int?) -> TableFiller {
        TextFiller(self, in: store)
    }

    override func makeCheck(
        of number: TableNumber, in store: Store, _ reader: any BackendReader
    ) throws -> TableCheck? { try TextCheck(self, number, in: store, reader) }
}

extension Tokenizer {
    /// Whether each posting of a text index has the length of its text. If not, each text has a last term
    /// that stands at its end: ``TextTerms/end``.
    var hasLengths: Bool { !makesParts }
}
