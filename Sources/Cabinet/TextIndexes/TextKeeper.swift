import CabinetBackend

/// Keeps the text indexes of a store's classes.
///
/// A changed text costs one key: it says that the record itself is to be asked, whatever the segments
/// say of the row. Segments are made later, in commits that no save waits for; a commit that inserts
/// many objects makes segments of them at once.
final class TextKeeper: TypedKeeper<ClassText> {
    /// From how many inserted objects of a class on a commit makes segments.
    static let segmentFrom = 256
    /// A segment is written when its draft takes so much memory.
    static let draftLimit = 24 << 20

    /// What the last look-up of a key has found.
    let found = DataBuffer()
    /// How many rows whose records are to be asked the present commit adds, and all since work began.
    @exclusivity(unchecked) var unmergedOfCommit = 0
    private var unmergedRows = 0
    /// How many bytes their texts have.
    @exclusivity(unchecked) var unmergedBytesOfCommit = 0
    private var unmergedBytes = 0

    override class var kind: UInt8 { DerivedEntry.kindOfTexts }

    override class func isDeclared(by storedClass: StoredClass) -> Bool {
        !storedClass.type.textIndexes.isEmpty
    }

    /// The text indexes of `storedClass`, with what the catalog says as of the store's basis.
    func texts(of storedClass: StoredClass) throws -> ClassTexts? { try tables(of: storedClass) }

    override func declare(_ tables: ClassTables, _ entries: DerivedEntries) throws {
        for index in tables.storedClass.type.textIndexes {
            try derived.add(ClassText(index, of: tables.storedClass, self), to: tables)
        }
        // Stores that were opened without the indexes leave them behind when they save.
        let number = tables.storedClass.number
        store.hub.register(
            CommitHub.Registration(name: "texts.\(number)") { store in
                guard let storedClass = store.classesByNumber[Int(number)] else { return }
                _ = store.makeDerived().makeTables(of: storedClass)
            })
    }

    override func describe(
        _ entry: DerivedEntry, of storedClass: StoredClass, _ described: StoreSchema.Class
    ) throws(UnusedTable.Reason) -> (table: DerivedTable, problem: String?) {
        try ClassText.describe(entry, of: storedClass, described, self)
    }

    override func begin(_ commit: Commit) { (unmergedOfCommit, unmergedBytesOfCommit) = (0, 0) }

    /// Has segments made when there are many rows whose records are asked.
    override func didEnd(committed number: CommitNumber?) {
        guard number != nil else { return }
        unmergedRows += unmergedOfCommit
        unmergedBytes += unmergedBytesOfCommit
        guard
            unmergedRows >= TextUpkeep.defaultUnmergedLimit
                || unmergedBytes >= TextUpkeep.unmergedBytesLimit
        else { return }
        (unmergedRows, unmergedBytes) = (0, 0)
        store.beginUpkeep()
    }

    override func hasUpkeep() throws -> Bool {
        try allTables().contains { texts in
            try texts.all.contains { text in
                guard text.isComplete, let table = text.table else { return false }
                return try TextUpkeep.hasManyUnmerged(
                    of: texts.storedClass, in: table, store.reader, TextUpkeep.defaultUnmergedLimit)
            }
        }
    }

    override func keepInForm(_ upkeep: UpkeepTask) throws {
        try keepInForm(upkeep, unmergedLimit: TextUpkeep.defaultUnmergedLimit)
    }

    /// - Parameter unmergedLimit: from how many rows on, whose records are asked, a segment is made of them.
    func keepInForm(_ upkeep: UpkeepTask, unmergedLimit: Int) throws {
        guard store.isIsolated else { return }
        for texts in try allTables() {
            for text in texts.all {
                let form = TextUpkeep(store: store, text: text, unmergedLimit: unmergedLimit)
                var goesOn = true
                while goesOn {
                    try upkeep.checkCancelled()
                    try store.refresh()
                    try derived.look()
                    do { goesOn = try form.run() } catch let error as DataBufferError {
                        store.log(.warning, "The text index '\(text.name)' is made anew: \(error)")
                        try TableBuilder(derived, upkeep).buildAnew(text, of: texts.tables)
                    }
                }
            }
        }
    }
}

/// The text indexes of one class in one store.
typealias ClassTexts = TablesOfKind<ClassText>

extension Store {
    /// Builds the text indexes, and all else that is derived, and brings them into form as the upkeep thread
    /// does, with a limit of the caller's. The store must have no pending changes.
    ///
    /// - Parameter unmergedLimit: from how many rows on, whose records are asked, a segment is made of them.
    /// - Throws: what reading and committing throw. What was committed stays.
    package func keepTexts(unmergedLimit: Int = TextUpkeep.defaultUnmergedLimit) throws {
        guard let textKeeper, isIsolated, backend.access == .readWrite else { return }
        let builder = TableBuilder(textKeeper.derived, UpkeepTask())
        for texts in try textKeeper.allTables() {
            for text in texts.all { try builder.build(text, of: texts.tables) }
        }
        try textKeeper.keepInForm(builder.upkeep, unmergedLimit: unmergedLimit)
    }
}
