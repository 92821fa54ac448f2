import CabinetBackend
import Foundation

extension StoreContainer {
    /// Removes for good what an object was: of one that was deleted, nothing is left in the store's files. What
    /// an object is that is still there, stays.
    ///
    /// As of earlier commits there was no such object then, and its history begins with what it is now. All text
    /// indexes are made anew; steps of undo that saves have kept and that are about the object
    /// (``UndoHistory/survivesRelaunch``) are forgotten, with those before them. Then the files are: the log is
    /// compacted, and what reads are served from is laid out anew, which takes time and disk space for the
    /// whole store. Saves and reads may wait meanwhile. Over SQLite, the file is written anew (`VACUUM`); a
    /// server of PostgreSQL's keeps the bytes of removed rows until it vacuums its tables, and those in its log
    /// until it has recycled that.
    ///
    /// Bytes are left outside the store's files: in backups, exports and copies, which are the affair of the
    /// program; in free blocks of the disk; in memory, as of open stores that have read the object, or can
    /// still undo its delete; in files that were removed, as long as another process that follows the store
    /// has them open.
    ///
    /// ```swift
    /// let id = entry.objectID
    /// try store.delete(entry)
    /// try store.save()
    /// if let id { try await container.purge(id) }
    /// ```
    /// - Throws: ``StoreError/foreignID(class:)``; ``StoreError/stillKept(by:)`` if history has nothing of the
    ///   object any more, and files still have; `BackendError.busy` likewise, over databases, as long as a
    ///   store is open that reads as of before the purge; `BackendError.unsupported`, `BackendError.readOnly`, before
    ///   anything has changed; what a save throws. A call that has thrown can be made again.
    @concurrent
    public func purge<Object: StoredObject>(_ id: ObjectID<Object>) async throws {
        guard id.store == backend.identity else {
            throw StoreError.foreignID(class: "\(Object.self)")
        }
        try erase { try $0.purge(RowPlace(table: id.table, row: id.rowID)) }
    }

    /// Removes the history before a commit for good, of all classes and named buffers: the store can be read as
    /// of that commit and of later ones.
    ///
    /// Nothing is left of what was replaced or deleted by then, as ``purge(_:)`` says, but for steps of undo,
    /// which ``UndoHistory/removeAll()`` and a save forget, and the notes of later commits.
    /// - Throws: as ``purge(_:)``.
    @concurrent
    public func purgeHistory(before commit: CommitNumber) async throws {
        try erase { try $0.purge(upTo: commit) }
    }

    /// As ``purgeHistory(before:)-(CommitNumber)``, before the last commit, by number, that was made before
    /// `date`.
    @concurrent
    public func purgeHistory(before date: Date) async throws {
        try erase {
            try $0.purge(upTo: PastLook(over: backend, label: "purge").start(since: date))
        }
    }

    private func erase(_ purge: (HistoryPurge) throws -> CommitNumber) throws {
        // Whether it is possible.
        try backend.erasePast(upTo: .none)
        var holders = try remakeTexts()
        let number = try purge(HistoryPurge(backend))
        try backend.erasePast(upTo: number)
        // The log of the commits until then was kept for history alone.
        try HistoryMove(backend).move(upTo: backend.lastCommit())
        try backend.erasePast(upTo: number)
        holders += try backend.keptChanges().filter { $0.position.commit < number }.map(\.name)
        if !holders.isEmpty { throw StoreError.stillKept(by: holders) }
    }

    private func remakeTexts() throws -> [String] {
        let store = try makeStore()
        // While it is open, an engine may keep what it reads as of.
        defer { try? store.close() }
        return try store.indexes.remakeAll(ofKind: DerivedEntry.kindOfTexts)
    }
}
