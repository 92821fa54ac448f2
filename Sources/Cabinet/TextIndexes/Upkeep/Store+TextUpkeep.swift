import CabinetBackend

extension Store: TextKeepingStore {
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

    func textsLackingRecords() throws -> [String] {
        try textKeeper?.allTexts().flatMap { texts in
            try texts.all.filter(needsBuilding).map { "\(texts.storedClass.name).\($0.name)" }
        } ?? []
    }

    func textUnitsLeft() throws -> Int {
        var units = 0
        for texts in try textKeeper?.allTexts() ?? [] {
            for text in texts.all where try needsBuilding(text) {
                units += max(try reader.count(of: texts.storedClass.table), 1)
            }
        }
        return units
    }

    func keepTexts(_ progress: IndexProgress) throws { try maintainTexts(progress: progress) }

    /// Builds the text indexes that are not complete, and brings the others into form. The store must have
    /// no pending changes.
    ///
    /// - Parameter freshLimit: from how many rows on, whose records are asked, a segment is made of them.
    /// - Throws: `CancellationError`; what reading and committing throw. What was committed stays.
    func maintainTexts(
        freshLimit: Int = TextUpkeep.defaultFreshLimit, progress: IndexProgress? = nil
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
