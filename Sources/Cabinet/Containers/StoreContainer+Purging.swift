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
    ///   object any more, and files still have; `BackendError.busy` likewise, over databases, if a store is still
    ///   open after a second that reads as of before the purge: let it refresh, and call again; `CancellationError`
    ///   in that second; `BackendError.unsupported`, `BackendError.readOnly`, before anything has changed; what a
    ///   save throws. A call that has thrown can be made again, and goes on where it was.
    @concurrent
    public func purge<Object: StoredObject>(_ id: ObjectID<Object>) async throws {
        guard id.store == backend.identity else {
            throw StoreError.foreignID(class: "\(Object.self)")
        }
        let place = RowPlace(table: id.table, row: id.rowID)
        try await erase(.row(place)) { try $0.purge(place) }
    }

    /// Removes the history before a commit for good, of all classes and named buffers: the store can be read as
    /// of that commit and of later ones.
    ///
    /// Nothing is left of what was replaced or deleted by then, as ``purge(_:)`` says, but for steps of undo,
    /// which ``UndoHistory/removeAll()`` and a save forget, and the notes of later commits.
    /// - Throws: as ``purge(_:)``.
    @concurrent
    public func purgeHistory(before commit: CommitNumber) async throws {
        try await erase(.history(commit)) { try $0.purge(upTo: commit) }
    }

    /// As ``purgeHistory(before:)-(CommitNumber)``, before the last commit, by number, that was made before
    /// `date`.
    @concurrent
    public func purgeHistory(before date: Date) async throws {
        let commit = try PastLook.with(backend, label: "purge") {
            try $0.start(since: date) ?? $0.oldest
        }
        try await purgeHistory(before: commit)
    }

    /// - Parameter purge: gives a commit from which on nothing says any more what is purged; not called again
    ///   where it was made, and there is nothing new to purge.
    private func erase(
        _ purged: PurgesUnderWay.Purged, _ purge: (HistoryPurge) throws -> CommitNumber
    ) async throws {
        // Whether it is possible.
        try backend.erasePast(upTo: .none)
        let underWay = hub.worker { PurgesUnderWay() }
        var holders: [String] = []
        let number: CommitNumber
        if let made = try underWay.commit(of: purged, in: backend) {
            number = made
        } else {
            holders = try remakeTexts()
            number = try purge(HistoryPurge(backend))
            // A text index that still has its words is to be made anew once more.
            if holders.isEmpty { underWay.note(purged, number) }
        }
        try await erasePast(upTo: number)
        // The log of the commits until then was kept for history alone.
        try HistoryMove(backend).move(upTo: backend.lastCommit())
        try await erasePast(upTo: number)
        underWay.note(purged, nil)
        holders += try backend.keptChanges().filter { $0.position.commit < number }.map(\.name)
        if !holders.isEmpty { throw StoreError.stillKept(by: holders) }
    }

    /// Waits a second for stores that refresh by themselves.
    private func erasePast(upTo number: CommitNumber) async throws {
        for _ in 0..<50 {
            do { return try backend.erasePast(upTo: number) } catch BackendError.busy {
                try await Task.sleep(for: .milliseconds(20))
            }
        }
        try backend.erasePast(upTo: number)
    }

    private func remakeTexts() throws -> [String] {
        let store = try makeStore()
        // While it is open, an engine may keep what it reads as of.
        defer { try? store.close() }
        return try store.indexes.remakeAll(ofKind: DerivedEntry.kindOfTexts)
    }
}

/// The purges of which the commit was made, and not yet all bytes erased that it has replaced. `Sendable`: guarded.
private final class PurgesUnderWay: HubWorker {
    enum Purged: Hashable {
        case row(RowPlace)
        case history(CommitNumber)
    }

    private let made = Guarded<[Purged: CommitNumber]>([:])

    func note(_ purged: Purged, _ number: CommitNumber?) { made.withLock { $0[purged] = number } }

    /// The commit that has purged it; `nil`: none has, or there is something new to purge.
    func commit(of purged: Purged, in backend: any Backend) throws -> CommitNumber? {
        guard let number = made.withLock({ $0[purged] }) else { return nil }
        guard case .row(let place) = purged else { return number }
        try backend.refreshBesideOthers()
        let later = try ForeignChanges(
            after: number, upTo: backend.lastCommit(), except: nil, of: backend)
        let isChanged = later.isUnknown || later.tables[place.table]?.contains(place.row) == true
        return isChanged ? nil : number
    }

    func end() {}
}
