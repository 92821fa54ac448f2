import CabinetBackend

extension Store {
    /// Builds the text indexes that are not complete, and brings the others into form. The store must have
    /// no pending changes.
    ///
    /// - Parameter freshLimit: from how many rows on, whose records are asked, a segment is made of them.
    /// - Throws: `CancellationError`; what reading and committing throw. What was committed stays.
    func maintainTexts(
        freshLimit: Int = TextUpkeep.defaultFreshLimit, progress: UpkeepProgress? = nil
    ) throws {
        guard let textKeeper, isIsolated, backend.access == .readWrite else { return }
        for texts in try textKeeper.allTables() {
            for text in texts.all {
                let upkeep = TextUpkeep(
                    store: self, texts: texts, text: text, freshLimit: freshLimit)
                if try textKeeper.derived.lacksRecords(text) { try upkeep.build(progress) }
                var goesOn = true
                while goesOn {
                    if progress?.isCancelled == true { throw CancellationError() }
                    try advance()
                    _ = try textKeeper.allTables()
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
}
