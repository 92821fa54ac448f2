import CabinetBackend
import CabinetTokyo
import Foundation

extension StoreFile {
    /// Goes back to the file as it is now: what it has not goes, with pending changes and steps of undo.
    ///
    /// ``store`` and ``container`` are others afterwards; the former are closed, and their objects are plain
    /// ones. The delegate moves on to the new store; its author and the settings of its undo history are as
    /// at first.
    /// - Parameter progress: shows how far it is, and cancels it.
    /// - Throws: ``StoreError/fileMissing(path:)``, ``StoreError/noFile``, and as opening the file. Nothing has
    ///   changed then.
    public func revert(progress: Progress? = nil) throws {
        try store.checkIdle()
        let settings = settings
        var made: (StoreContainer, Store)?
        let report = try Self.translating {
            try working.revert(ProgressReporter(progress)) { backend in
                let container = settings.container(backend)
                made = (container, try container.makeStore())
            }
        }
        guard let (newContainer, newStore) = made else { return }
        let (oldContainer, oldStore) = (container, store)
        newStore.delegate = oldStore.delegate
        (container, store) = (newContainer, newStore)
        metadata = StoreFileMetadata(working)
        isMetadataEdited = false
        unsavedEdits = nil
        damage = report?.lost ?? []
        // The former generation is of no use any more, and goes with the next sweep if not now.
        oldStore.rollback()
        try? oldStore.close()
        try? oldContainer.close()
        try? working.endFormer()
    }
}
