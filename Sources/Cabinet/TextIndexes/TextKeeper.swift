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

    private unowned let store: Store
    /// By class number.
    private var byClass: [ClassTexts?]
    /// What ``ClassTexts/entries`` are as of.
    private var lookedBasis: CommitNumber?
    private var lookedGeneration = -1
    private var hasCommitted = false
    private let found = DataBuffer()
    /// How many rows whose records are to be asked the present commit adds, and all since work began.
    private var freshOfCommit = 0
    private var freshRows = 0

    init(_ store: Store) {
        self.store = store
        byClass = Array(repeating: nil, count: 256)
    }

    func add(_ texts: ClassTexts) { byClass[Int(texts.storedClass.number)] = texts }

    /// The text indexes of `storedClass`, with what the catalog says as of the store's basis.
    func texts(of storedClass: StoredClass) throws -> ClassTexts? {
        guard let found = byClass[Int(storedClass.number)] else { return nil }
        try look()
        return found
    }

    /// All classes with text indexes.
    func allTexts() throws -> [ClassTexts] {
        try look()
        return byClass.compactMap { $0 }
    }

    private func look() throws {
        let generation = store.hub.generation
        if hasCommitted, generation == lookedGeneration {
            hasCommitted = false
            lookedBasis = store.basis
        }
        if lookedBasis == store.basis, lookedGeneration == generation { return }
        hasCommitted = false
        let tables = try store.reader.tables()
        for case let texts? in byClass {
            texts.note(try store.reader.textEntries(ofClass: texts.storedClass.number), tables)
        }
        (lookedBasis, lookedGeneration) = (store.basis, generation)
    }

    // MARK: Taking part in commits

    func follows(_ storedClass: StoredClass) -> Bool { byClass[Int(storedClass.number)] != nil }

    func begin(_ commit: Commit) throws {
        freshOfCommit = 0
        for case let texts? in byClass { texts.isPrepared = false }
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
        try event.withSavedRecord(in: store) { record in
            for text in texts.all where text.takesPart {
                try change(text, texts, event, record, in: commit)
            }
        }
    }

    private func change(
        _ text: ClassText, _ texts: ClassTexts, _ event: RecordEvent,
        _ record: UnsafeRawBufferPointer?, in commit: Commit
    ) throws {
        let row = event.object.rowID
        do {
            guard let record, try texts.replaced.take(record, at: row) else {
                return try insert(text, texts, row, in: commit)
            }
            if event.kind == .updated, try keepsText(text, texts) { return }
            try replace(text, texts, row, in: commit)
        } catch let error as StoreError {
            // Of a damaged record no text is known: the segments may count it a little too long.
            store.log(.warning, "Its text is not taken out of '\(text.name)': \(error)")
            let known = try segmented(row, of: text)
            try putFresh(row, known ?? FreshRow(segmented: nil), of: text, in: commit)
        }
    }

    func join(_ commit: Commit) throws {
        for case let texts? in byClass where texts.makesSegments {
            for text in texts.all where !text.draft.isEmpty {
                try writeSegment(of: text, in: commit)
            }
        }
    }

    func didEnd(committed: Bool) {
        for case let texts? in byClass {
            if committed, let entries = texts.entriesOfCommit {
                texts.entries = entries
                for text in texts.all { text.entry = entries[text.name] }
            }
            texts.entriesOfCommit = nil
            texts.makesSegments = false
            for text in texts.all where !text.draft.isEmpty { text.draft.removeAll() }
        }
        guard committed, store.hub.generation == store.hubGeneration else {
            lookedBasis = nil
            if committed { noteFreshRows() }
            return
        }
        lookedGeneration = store.hubGeneration
        hasCommitted = true
        noteFreshRows()
    }

    /// Has segments made when there are many rows whose records are asked.
    private func noteFreshRows() {
        freshRows += freshOfCommit
        guard freshRows >= TextUpkeep.defaultFreshLimit else { return }
        freshRows = 0
        store.beginTextWork()
    }

    func forgetWhatIsSaved() { lookedBasis = nil }

    // MARK: Entering

    private func prepare(_ texts: ClassTexts, for commit: Commit) throws {
        try look()
        texts.isPrepared = true
        let storedClass = texts.storedClass
        texts.makesSegments =
            commit.isSave && storedClass.pendingInserts >= Self.segmentFrom
        var entries = texts.entries
        lazy var isEmpty = (try? store.reader.count(of: storedClass.table)) == 0
        for text in texts.all {
            if !text.draft.isEmpty { text.draft.removeAll() }
            if texts.makesSegments, let table = text.table, text.entry != nil {
                let fresh = KeyRange(prefix: TextKeys.key(.fresh))
                text.hasFresh = try store.reader.count(of: fresh, in: table) > 0
            }
            if let entry = text.entry, text.isAsDefined {
                text.takesPart = entry.state.takesPart
            } else if text.entry == nil, isEmpty {
                let entry = text.freshEntry(.complete)
                let definition = try store.backend.claim(
                    TableClaim(kind: .ordered, name: entry.table))
                try commit.batch.define(definition)
                text.table = definition.number
                text.takesPart = true
                entries[text.name] = entry
            } else {
                text.takesPart = false
            }
        }
        for neglected in texts.neglected { entries.leaveBehind(neglected, at: store.basis) }
        let key = IndexEntries.textKey(ofClass: storedClass.number)
        try key.withUnsafeBytesThrowing { key throws(BackendError) in
            if entries != texts.entries {
                texts.entriesOfCommit = entries
                let buffer = DataBuffer()
                entries.write(to: buffer)
                try commit.batch.put(UnsafeRawBufferPointer(buffer.memory), for: key, in: .catalog)
            } else if store.isIsolated {
                commit.batch.require(.unchanged, key: key, in: .catalog)
            }
        }
    }

    /// Whether the texts of the record and of the object that replaces it are the same bytes.
    private func keepsText(_ text: ClassText, _ texts: ClassTexts) throws -> Bool {
        try text.source.withText(of: texts.replaced) { former in
            try text.source.withText(of: texts.written) { new in
                guard let former, let new else { return former == nil && new == nil }
                return former.elementsEqual(new)
            }
        }
    }

    private func insert(
        _ text: ClassText, _ texts: ClassTexts, _ row: RowID, in commit: Commit
    ) throws {
        // A row that comes back may be one whose record is to be asked.
        let known = !texts.makesSegments || text.hasFresh ? try segmented(row, of: text) : nil
        guard texts.makesSegments, known == nil else {
            return try putFresh(row, known ?? FreshRow(segmented: nil), of: text, in: commit)
        }
        try text.source.withText(of: texts.written) { bytes in
            if let bytes { try text.draft.add(bytes, of: row, text.source) }
        }
        if text.draft.size > Self.draftLimit { try writeSegment(of: text, in: commit) }
    }

    /// What the segments say of the row does not count any more.
    private func replace(
        _ text: ClassText, _ texts: ClassTexts, _ row: RowID, in commit: Commit
    ) throws {
        var fresh = try segmented(row, of: text)
        if fresh == nil {
            fresh = FreshRow(segmented: try text.source.length(of: texts.replaced))
        }
        if let fresh { try putFresh(row, fresh, of: text, in: commit) }
    }

    /// What is noted of a row that was changed before; `nil` if the segments know it.
    private func segmented(_ row: RowID, of text: ClassText) throws -> FreshRow? {
        guard let table = text.table, text.entry != nil else { return nil }
        let isFresh = try TextKeys.key(.fresh, row.rawValue)
            .withUnsafeBytesThrowing { key throws(BackendError) in
                try store.reader.value(forKey: key, in: table, into: found)
            }
        return isFresh ? found.withUnsafeBytes { FreshRow($0) } : nil
    }

    /// The entry is put also if it is there, so that a commit which makes segments meanwhile conflicts.
    private func putFresh(
        _ row: RowID, _ fresh: FreshRow, of text: ClassText, in commit: Commit
    ) throws {
        guard let table = text.table else { return }
        freshOfCommit += 1
        try commit.batch.put(fresh.bytes, for: TextKeys.key(.fresh, row.rawValue), in: table)
    }

    private func writeSegment(of text: ClassText, in commit: Commit) throws {
        guard let table = text.table else { return }
        let batch = commit.batch
        var writer = SegmentWriter(
            .random(in: .min ... .max), hasPositions: text.index.tokenizer.hasPositions
        ) { key, value in
            try batch.put(value, for: key, in: table)
        }
        try text.draft.write(to: &writer)
        try writer.finish(
            order: store.basis.rawValue + 1, rows: text.draft.rows, length: text.draft.length)
        text.draft.removeAll()
    }
}

extension WriteBatch {
    /// Puts a value under a key.
    func put(
        _ value: [UInt8], for key: [UInt8], in table: TableNumber
    ) throws(BackendError) {
        try key.withUnsafeBytesThrowing { key throws(BackendError) in
            try value.withUnsafeBytesThrowing { value throws(BackendError) in
                try put(value, for: key, in: table)
            }
        }
    }

    /// Deletes a key.
    func deleteKey(_ key: [UInt8], in table: TableNumber) throws(BackendError) {
        try key.withUnsafeBytesThrowing { key throws(BackendError) in
            try deleteKey(key, in: table)
        }
    }
}
