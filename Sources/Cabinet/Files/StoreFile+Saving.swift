import CabinetBackend
import CabinetTokyo
import Foundation

extension StoreFile {
    /// Saves pending changes of ``store``, and writes all commits so far into the file.
    ///
    /// The new file is written beside the former, brought to the device and renamed. Steps of undo stay.
    /// Where classes have triggers after saves, it waits until they were called, five seconds at most. While other
    /// stores of ``container`` save, it looks for a moment between two of their commits, five seconds at most, so that
    /// history and triggers go on from the file.
    /// - Parameters:
    ///   - overwriting: whether a file that another program has changed, moved or removed, or a damaged
    ///     one, is written all the same.
    ///   - progress: shows how far it is, and cancels it.
    /// - Throws: what `store.save()` throws; ``StoreError/fileChanged(path:)``,
    ///   ``StoreError/fileMissing(path:)``, ``StoreError/fileDamaged(path:)``, ``StoreError/noFile``;
    ///   `BackendError`, `.tooLarge` among them for more than 64 MiB of metadata; `CancellationError`. The file is as
    ///   before then, and what was saved to the store is safe there.
    public func save(overwriting: Bool = false, progress: Progress? = nil) throws {
        let metadata = try prepareToSave(needsPlace: true)
        let isWhole = try Self.write(CommitClosing(of: store)) { last in
            try working.save(
                metadata.encoded(), asOf: last, overwriting: overwriting,
                ProgressReporter(progress))
        }
        note(isWhole)
        didSave(metadata, of: self.metadata)
    }

    /// As ``save(overwriting:progress:)``, while other code of the isolation domain runs: another thread
    /// writes the file. What is edited meanwhile is not in it.
    public func saveInBackground(
        overwriting: Bool = false, progress: Progress? = nil,
        isolation: isolated (any Actor)? = #isolation
    ) async throws {
        try await store.saveInBackground(isolation: isolation)
        let metadata = try prepareToSave(needsPlace: true)
        let (before, shown) = (self.metadata, store)
        let (working, reporter) = (working, ProgressReporter(progress))
        let closing = CommitClosing(of: store)
        let isWhole = try await Self.onOtherThread {
            try Self.write(closing) { last in
                try working.save(metadata.encoded(), asOf: last, overwriting: overwriting, reporter)
            }
        }
        note(isWhole)
        // A revert meanwhile has its own state.
        if shown === store { didSave(metadata, of: before) }
    }

    /// Saves the document as another file, which it is from now on.
    /// - Parameters:
    ///   - url: the new place.
    ///   - overwriting: whether a file that is there is replaced, and what was left unsaved of it dropped.
    ///   - progress: shows how far it is, and cancels it.
    /// - Throws: as ``save(overwriting:progress:)``; `.system` with `EEXIST` if there is something and
    ///   `overwriting` is `false`; ``StoreError/unsavedEdits(path:)``; `BackendError.busy` if that file
    ///   is open. The document stays where it was then.
    public func save(as url: URL, overwriting: Bool = false, progress: Progress? = nil) throws {
        let path = try Self.path(url)
        let metadata = try prepareToSave()
        let isWhole = try Self.write(CommitClosing(of: store)) { last in
            try working.move(
                to: path, metadata.encoded(), asOf: last, overwriting: overwriting,
                ProgressReporter(progress))
        }
        note(isWhole)
        self.url = url
        didSave(metadata, of: self.metadata)
    }

    /// Writes the document as it is into another file, and stays with its own: whether it is edited does not
    /// change. Pending changes are saved to the store.
    /// - Throws: as ``save(as:overwriting:progress:)``.
    public func duplicate(
        to url: URL, overwriting: Bool = false, progress: Progress? = nil
    ) throws {
        let path = try Self.path(url)
        let metadata = try prepareToSave()
        let isWhole = try Self.write(CommitClosing(of: store)) { last in
            try working.duplicate(
                to: path, metadata.encoded(), asOf: last, overwriting: overwriting,
                ProgressReporter(progress))
        }
        note(isWhole)
    }

    /// Saves the file again and again, each time that long after it was found edited, until its task is
    /// cancelled or the file is closed.
    ///
    /// ```swift
    /// let autosave = Task { try await file.autosave(every: .seconds(30)) }
    /// ```
    /// - Throws: what ``saveInBackground(overwriting:progress:isolation:)`` throws, such as that another
    ///   program has changed the file: then it has ended, and nothing is lost.
    public func autosave(
        every interval: Duration, isolation: isolated (any Actor)? = #isolation
    ) async throws {
        while !isClosed {
            do { try await Task.sleep(for: interval) } catch { return }
            if !isClosed, url != nil, isEdited {
                try await saveInBackground(isolation: isolation)
            }
        }
    }

    // MARK: Steps

    private func prepareToSave(needsPlace: Bool = false) throws -> StoreFileMetadata {
        try store.save()
        if needsPlace, url == nil { throw StoreError.noFile }
        var metadata = metadata
        describe?(store, &metadata)
        return metadata
    }

    /// As ``CommitClosing/write(_:)``, with this floor's errors.
    private static func write(
        _ closing: CommitClosing, _ body: (CommitNumber?) throws -> Void
    ) throws -> Bool {
        try closing.write { last in
            do { try translating { try body(last) } } catch WorkingStore.Refusal.passed {
                return false
            }
            return true
        }
    }

    /// - Parameter isWhole: whether history and triggers go on from a file that was written.
    private func note(_ isWhole: Bool) {
        if isWhole { return }
        store.log(
            .warning,
            "The file lacks calls of triggers for the last commits, or its history begins anew: triggers fail or take "
                + "long, or other stores save all the time.")
    }

    /// - Parameter before: the metadata that became `saved`. What was edited meanwhile stays edited.
    private func didSave(_ saved: StoreFileMetadata, of before: StoreFileMetadata) {
        var (shown, former) = (metadata, before)
        // Another save may have come between.
        (shown.modified, former.modified) = (nil, nil)
        let isAsBefore = shown == former
        shown = isAsBefore ? saved : metadata
        shown.modified = working.fileHeader?.date ?? shown.modified
        metadata = shown
        isMetadataEdited = !isAsBefore
        unsavedEdits = nil
        damage = []
    }

    static func onOtherThread<Result: Sendable>(
        _ body: @escaping @Sendable () throws -> Result
    ) async throws -> Result {
        try await Task.detached { try body() }.value
    }

    /// Errors of the engine's working stores, as this floor names them.
    static func translating<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch WorkingStore.Refusal.noFile {
            throw StoreError.noFile
        } catch WorkingStore.Refusal.unsavedCommits(let path) {
            throw StoreError.unsavedEdits(path: path)
        } catch WorkingStore.Refusal.standing(let standing, let path) {
            switch standing {
            case .missing: throw StoreError.fileMissing(path: path)
            case .damaged: throw StoreError.fileDamaged(path: path)
            case .changed, .same, .none: throw StoreError.fileChanged(path: path)
            }
        }
    }
}
