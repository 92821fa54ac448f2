import CabinetBackend

/// What watches the objects of a store: gives each watcher a summary of each commit.
///
/// A save has both records of each object at hand; of the commits of others, the store reads them
/// from the reader of its basis and from the newer one. While nothing watches a class, its commits
/// cost no more than without this. Not `Sendable`: its store's.
final class ChangeWatchers {
    private unowned let store: Store
    private var watchers: [any ChangeWatcher] = []
    private var comparisons: [UInt8: RecordComparison] = [:]
    /// Of the commit that is being made.
    @exclusivity(unchecked) private var summary = ChangeSummary()
    /// The summaries that no watcher has had yet, in the order of the commits.
    private var untold: [ChangeSummary] = []

    init(_ store: Store) { self.store = store }

    fileprivate func add(_ watcher: any ChangeWatcher) { watchers.append(watcher) }
    fileprivate func remove(_ watcher: any ChangeWatcher) { watchers.removeAll { $0 === watcher } }

    func watch(_ storedClass: StoredClass) -> Bool {
        watchers.contains { $0.watches(storedClass) }
    }

    private func comparison(of storedClass: StoredClass) -> RecordComparison {
        if let known = comparisons[storedClass.number] { return known }
        let made = RecordComparison(storedClass, store.codec)
        comparisons[storedClass.number] = made
        return made
    }

    // MARK: Commits of the store

    /// The commit that is being made writes `record`, which replaces `former`.
    func note(
        _ former: SavedRecord, _ record: UnsafeRawBufferPointer, _ row: RowID,
        of storedClass: StoredClass
    ) {
        switch former {
        case .absent: note(.inserted, from: nil, to: record, row, of: storedClass, .whole)
        case .damaged: note(.changed, from: nil, to: nil, row, of: storedClass, .whole)
        case .record(let former):
            let fields = comparison(of: storedClass).changedFields(from: former, to: record)
            note(.changed, from: former, to: record, row, of: storedClass, fields)
        }
    }

    /// Whether the former record of what is deleted is wanted.
    func comparesRecords(of storedClass: StoredClass) -> Bool {
        watchers.contains { $0.comparesRecords(of: storedClass) }
    }

    func noteDelete(_ former: SavedRecord?, _ row: RowID, of storedClass: StoredClass) {
        var known: UnsafeRawBufferPointer?
        if case .record(let record)? = former { known = record }
        note(.deleted, from: known, to: nil, row, of: storedClass, .whole)
    }

    @inline(__always)
    private func note(
        _ kind: ChangeSummary.Kind, from former: UnsafeRawBufferPointer?,
        to record: UnsafeRawBufferPointer?, _ row: RowID, of storedClass: StoredClass,
        _ fields: FieldSet
    ) {
        summary.note(kind, row, of: storedClass, fields)
        tell(from: former, to: record, of: storedClass, fields)
    }

    @inline(__always)
    private func tell(
        from former: UnsafeRawBufferPointer?, to record: UnsafeRawBufferPointer?,
        of storedClass: StoredClass, _ fields: FieldSet
    ) {
        for watcher in watchers where watcher.comparesRecords(of: storedClass) {
            watcher.note(from: former, to: record, of: storedClass, fields)
        }
    }

    /// The commit was made and has the number, or, `nil`, was given up.
    func didEnd(committed number: CommitNumber?) {
        defer { summary = ChangeSummary() }
        guard let number, !summary.isEmpty else { return }
        summary.end(at: number)
        summary.isOwn = true
        if let author = store.author { summary.authors = [author] }
        summary.movesSteps = store.attribution?.movesSteps == true
        untold.append(summary)
    }

    // MARK: Commits of others

    /// Notes what others have changed up to a later commit, before the store reads as of that.
    func note(_ newer: Store.Newer) {
        do {
            let summary = try summary(of: newer)
            if !summary.isEmpty { untold.append(summary) }
        } catch {
            // The former records are not kept any more, or one is damaged.
            untold.append(.unknown(at: newer.number))
        }
    }

    private func summary(of newer: Store.Newer) throws -> ChangeSummary {
        if newer.changes.isUnknown { return .unknown(at: newer.number) }
        var summary = ChangeSummary()
        for storedClass in store.classes where storedClass.isWatched {
            guard let rows = newer.changes.tables[storedClass.table]?.all else { continue }
            let (before, after) = (RecordLookup(of: storedClass), RecordLookup(of: storedClass))
            // What the store's own commit has put there stands in the feed.
            let own = rows.map { newer.changes.ownRecord(of: $0, in: storedClass.table) }
            before.begin(zip(rows, own).compactMap { $1 == nil ? $0 : nil })
            after.begin(rows)
            for (row, own) in zip(rows, own) {
                let now = try after.next(in: newer.reader)
                func note(_ former: UnsafeRawBufferPointer?) {
                    let (kind, fields): (ChangeSummary.Kind, FieldSet)
                    switch (former, now) {
                    case (nil, nil): return
                    case (nil, _?): (kind, fields) = (.inserted, .whole)
                    case (_?, nil): (kind, fields) = (.deleted, .whole)
                    case (let former?, let now?):
                        kind = .changed
                        fields = comparison(of: storedClass).changedFields(from: former, to: now)
                    }
                    summary.note(kind, row, of: storedClass, fields)
                    tell(from: former, to: now, of: storedClass, fields)
                }
                if let own {
                    own.withUnsafeBytes { note($0) }
                } else {
                    note(try before.next(in: store.reader))
                }
            }
        }
        summary.end(at: newer.number)
        summary.movesSteps = try newer.changes.movesSteps
        for author in newer.changes.authors {
            if let name = try store.backend.author(author) { summary.authors.insert(name) }
        }
        return summary
    }

    func noteUnknown(at number: CommitNumber) { untold.append(.unknown(at: number)) }

    func tell() {
        if untold.isEmpty { return }
        while !untold.isEmpty {
            let summary = untold.removeFirst()
            for watcher in watchers { watcher.note(summary) }
        }
        for watcher in watchers { watcher.didNoteAll() }
    }

    func note(failureToRefresh error: (any Error)?) {
        for watcher in watchers { watcher.note(failureToRefresh: error) }
    }

    var hearEdits: Bool { watchers.contains(where: \.hearsEdits) }
    func noteEdit() { for watcher in watchers where watcher.hearsEdits { watcher.noteEdit() } }
    func storeDidClose() { for watcher in watchers { watcher.storeDidClose() } }
}

extension Store {
    /// Tells `watcher` of the classes that it watches, which it holds until ``endWatching(_:)``.
    func beginWatching(_ watcher: any ChangeWatcher) {
        let known = watchers ?? ChangeWatchers(self)
        watchers = known
        known.add(watcher)
        noteFollowed()
    }

    func endWatching(_ watcher: any ChangeWatcher) {
        watchers?.remove(watcher)
        noteFollowed()
    }
}
