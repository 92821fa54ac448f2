import CabinetBackend

/// The text indexes of a store's classes, as a part of the store.
struct TextPart: StorePart {
    func setUp(in store: Store) throws { try store.setUpTextIndexes() }

    func hasWork(in store: Store, besides refused: Set<String>) throws -> Bool {
        try store.hasTextWork()
    }

    func unitsOfWork(in store: Store) throws -> Int { try store.textUnitsLeft() }

    func work(in store: Store, _ upkeep: UpkeepTask) throws {
        try store.maintainTexts(progress: upkeep.progress)
    }

    func incomplete(in store: Store) throws -> [String] { try store.textsLackingRecords() }

    func findings(
        in store: Store, isolation: isolated (any Actor)?
    ) async throws -> [GraphFinding] { try await store.textFindings(isolation: isolation) }
}

extension Store {
    /// Whether a text index is to be built or brought into form.
    func hasTextWork() throws -> Bool {
        guard let textKeeper else { return false }
        return try textKeeper.allTexts().contains { texts in
            try texts.all.contains { text in
                guard text.isComplete, let table = text.table else {
                    return try text.entry != nil
                        || reader.count(of: texts.storedClass.table) > 0
                }
                return try TextUpkeep.hasManyFresh(
                    of: texts.storedClass, in: table, reader, TextUpkeep.defaultFreshLimit)
            }
        }
    }

    /// The text indexes that searches cannot use yet, as "class.name".
    func textsLackingRecords() throws -> [String] {
        try textKeeper?.allTexts().flatMap { texts in
            try texts.all.filter(needsBuilding).map { "\(texts.storedClass.name).\($0.name)" }
        } ?? []
    }

    /// How many records are to be looked at to build those that are not complete.
    func textUnitsLeft() throws -> Int {
        var units = 0
        for texts in try textKeeper?.allTexts() ?? [] {
            for text in texts.all where try needsBuilding(text) {
                units += max(try reader.count(of: texts.storedClass.table), 1)
            }
        }
        return units
    }

    /// Builds the text indexes that are not complete, and brings the others into form. The store must have
    /// no pending changes.
    ///
    /// - Parameter freshLimit: from how many rows on, whose records are asked, a segment is made of them.
    /// - Throws: `CancellationError`; what reading and committing throw. What was committed stays.
    func maintainTexts(
        freshLimit: Int = TextUpkeep.defaultFreshLimit, progress: UpkeepProgress? = nil
    ) throws {
        guard let textKeeper, isIsolated, backend.access == .readWrite else { return }
        for texts in try textKeeper.allTexts() {
            for text in texts.all {
                let upkeep = TextUpkeep(
                    store: self, texts: texts, text: text, freshLimit: freshLimit)
                if try needsBuilding(text) { try upkeep.build(progress) }
                var goesOn = true
                while goesOn {
                    if progress?.isCancelled == true { throw CancellationError() }
                    try advance()
                    _ = try textKeeper.allTexts()
                    do { goesOn = try upkeep.run() } catch let error as DataBufferError {
                        log(.warning, "The text index '\(text.name)' is made anew: \(error)")
                        try upkeep.build(progress)
                    }
                }
            }
        }
    }

    /// Builds, makes segments and merges as the thread of its own does, with a limit of the caller's.
    package func keepTexts(freshLimit: Int) throws { try maintainTexts(freshLimit: freshLimit) }

    private func needsBuilding(_ text: ClassText) throws -> Bool {
        if text.isComplete { return false }
        return try text.entry != nil || reader.count(of: text.storedClass.table) > 0
    }
}
