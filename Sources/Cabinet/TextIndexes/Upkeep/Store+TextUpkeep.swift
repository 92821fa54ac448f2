import CabinetBackend
import Foundation

extension Store {
    /// Builds the text indexes that are not complete, and brings the others into form. The store must have
    /// no pending changes.
    ///
    /// - Parameter freshLimit: from how many rows on, whose records are asked, a segment is made of them.
    func maintainTexts(
        freshLimit: Int = TextUpkeep.defaultFreshLimit, progress: Progress? = nil
    ) throws {
        guard let textKeeper, isIsolated, backend.access == .readWrite else { return }
        for texts in try textKeeper.allTexts() {
            for text in texts.all {
                let upkeep = TextUpkeep(
                    store: self, texts: texts, text: text, freshLimit: freshLimit)
                if upkeep.needsBuilding { try upkeep.build(progress) }
                var goesOn = true
                while goesOn {
                    if progress?.isCancelled == true { throw CancellationError() }
                    try advance()
                    _ = try textKeeper.allTexts()
                    goesOn = try upkeep.run()
                }
            }
        }
    }
}
