import CabinetBackend

/// Keeps the text indexes of a store's classes: every commit enters what it changes.
///
/// A changed text costs one key: it says that the record itself is to be asked, whatever the segments
/// say of the row. Segments are made later, in commits that no save waits for; a commit that inserts
/// many objects makes segments of them at once.
final class TextKeeper: CommitParticipant {
    /// From how many inserted objects of a class on a commit makes segments.
    static let segmentFrom = 256
    /// A segment is written when its draft takes so much memory.
    static let draftLimit = 24 << 20

    unowned let store: Store
    /// By class number.
    private var byClass: [ClassTexts?]
    private var all: [ClassTexts] = []
    /// As of which commit ``ClassTexts/entries`` and the tables of indexes are known.
    private var catalog = CatalogLook()
    /// Whether there is something to build that no opening has asked for.
    var asksForWork = false
    /// What the last look-up of a key has found.
    let found = DataBuffer()
    /// How many rows whose records are to be asked the present commit adds, and all since work began.
    var freshOfCommit = 0
    private var freshRows = 0
    /// How many bytes their texts have.
    var freshBytesOfCommit = 0
    private var freshBytes = 0

    init(_ store: Store) {
        self.store = store
        byClass = Array(repeating: nil, count: 256)
    }

    func add(_ texts: ClassTexts) {
        byClass[Int(texts.storedClass.number)] = texts
        all.append(texts)
        catalog.forget()
    }

    /// Whether it keeps the class, with text indexes or without.
    func knows(_ storedClass: StoredClass) -> Bool { byClass[Int(storedClass.number)] != nil }

    /// The text indexes of `storedClass`, with what the catalog says as of the store's basis.
    func texts(of storedClass: StoredClass) throws -> ClassTexts? {
        guard let found = byClass[Int(storedClass.number)] else { return nil }
        try look()
        return found
    }

    /// All classes with text indexes.
    func allTexts() throws -> [ClassTexts] {
        try look()
        return all
    }

    /// Reads what the catalog says as of the store's basis.
    func look() throws {
        if try catalog.isCurrent(in: store) { return }
        try catalog.read(in: store) { reader in
            let tables = try reader.tables()
            SchedulePoint.catalog.pass()
            for texts in all {
                texts.note(try reader.textEntries(ofClass: texts.storedClass.number), tables)
            }
        }
    }

    // MARK: Taking part in commits

    func follows(_ storedClass: StoredClass) -> Bool { knows(storedClass) }

    func begin(_ commit: Commit) throws {
        (freshOfCommit, freshBytesOfCommit) = (0, 0)
        for texts in all { texts.isPrepared = false }
    }

    func note(_ event: RecordEvent, in commit: Commit) throws {
        guard let texts = byClass[Int(event.storedClass.number)] else { return }
        // The object itself follows.
        if event.isStandIn, commit.isSave { return }
        if !texts.isPrepared { try prepare(texts, for: commit) }
        if event.kind != .deleted { texts.written.take(event.object) }
        if event.kind == .inserted {
            for text in texts.all where text.takesPart {
                try insert(text, texts, event.object.rowID, in: commit)
            }
            return
        }
        do {
            try event.withSavedRecord(in: store) { record in
                for text in texts.all where text.takesPart {
                    try change(text, texts, event, record, in: commit)
                }
            }
        } catch  where IndexKeeper.isUnreadable(error) {
            for text in texts.all where text.takesPart {
                try replaceUnreadable(text, event.object.rowID, error, in: commit)
            }
        }
    }

    /// Of a damaged record no text is known: what the segments count of it stays counted, and does not keep
    /// the store from replacing it.
    private func replaceUnreadable(
        _ text: ClassText, _ row: RowID, _ error: any Error, in commit: Commit
    ) throws {
        store.log(.warning, "Its text is not taken out of '\(text.name)': \(error)")
        let known = try segmented(row, of: text)
        try putFresh(row, known ?? FreshRow(segmented: 0), of: text, in: commit)
    }

    private func change(
        _ text: ClassText, _ texts: ClassTexts, _ event: RecordEvent,
        _ record: UnsafeRawBufferPointer?, in commit: Commit
    ) throws {
        let row = event.object.rowID
        do {
            guard let record, try texts.replaced.take(record, at: row) else {
                guard event.kind == .updated else { return }
                return try insert(text, texts, row, in: commit)
            }
            if event.kind == .updated {
                if try keepsText(text, texts) { return }
                freshBytesOfCommit += try text.source.withText(of: texts.written) { $0?.count ?? 0 }
            }
            try replace(text, texts, row, in: commit)
        } catch let error as StoreError {
            try replaceUnreadable(text, row, error, in: commit)
        }
    }

    func join(_ commit: Commit) throws {
        for texts in all where texts.makesSegments {
            for text in texts.all where !text.draft.isEmpty {
                try writeSegment(of: text, in: commit)
            }
        }
    }

    func didEnd(committed number: CommitNumber?) {
        for texts in all where texts.isPrepared { texts.endCommit(committed: number != nil) }
        guard let number else { return catalog.forget() }
        catalog.noteCommit(number)
        if asksForWork {
            asksForWork = false
            store.beginMoreWork()
        }
        noteFreshRows()
    }

    /// Has segments made when there are many rows whose records are asked.
    private func noteFreshRows() {
        freshRows += freshOfCommit
        freshBytes += freshBytesOfCommit
        guard
            freshRows >= TextUpkeep.defaultFreshLimit || freshBytes >= TextUpkeep.freshBytesLimit
        else { return }
        (freshRows, freshBytes) = (0, 0)
        store.beginUpkeep()
    }

    func forgetWhatIsSaved() { catalog.forget() }
}
