import CabinetBackend

/// A trigger, and what the store is made of in which it works.
struct TriggerJob: FeedJob {
    let trigger: AfterTrigger
    /// The tables of the classes whose objects it is called for.
    let tables: [TableNames]
    let classes: [StoredObject.Type]
    let parts: [any StorePart]
    /// What is to run before it is called.
    let migrations: [Migration]
    let versioning: Versioning
    let log: LogSink

    var name: String { trigger.key }
    var claim: String { trigger.key }

    func makeRun(over backend: any Backend) -> any FeedRun { TriggerRun(self, over: backend) }
}

/// Calls one trigger for the commits behind its position in the catalog. Of the worker's thread.
final class TriggerRun: FeedRun {
    /// The store does not have all commits any more that come next.
    private struct CommitsGone: Error {}

    private let job: TriggerJob
    private let backend: any Backend
    private var reader: EventReader?
    /// The last commit whose work is done, as the catalog has it.
    private var position = ChangePosition.start
    /// Later commits without work, which the catalog does not have yet.
    private var idle = (commits: 0, bytes: 0)
    private var store: Store?
    private var pause = 0.0
    private var isMigrated = false
    private(set) var isWaiting = false

    /// How often a commit's work is begun anew, as other stores have changed the same objects.
    private static let attempts = 10
    private static let pauses = 0.1...60.0
    /// How many commits without work are passed over before the catalog learns of it.
    static let mostIdle = 256

    init(_ job: TriggerJob, over backend: any Backend) {
        (self.job, self.backend) = (job, backend)
    }

    /// Works until there are no more commits.
    /// - Returns: in how many seconds it wants to be called again; `nil` at the next commit.
    func work(until hasEnded: () -> Bool) -> Double? {
        defer { closeStore() }
        do {
            try backend.refreshBesideOthers()
            // A new store needs none: its first save says so.
            isWaiting = try awaitsMigrations() && backend.tables().contains { $0.kind == .record }
            if isWaiting { return 0.25 }
            if !isMigrated { return nil }
            let reader = try reader ?? begin()
            self.reader = reader
            while !hasEnded(), let commit = try next(of: reader) { try work(on: commit) }
            return nil
        } catch {
            reader = nil
            let isClosed = (try? backend.lastCommit()) == nil
            return hasEnded() || isClosed ? nil : goOn(after: error)
        }
    }

    /// Whether the store is still to be brought into the form that the trigger knows.
    private func awaitsMigrations() throws -> Bool {
        if isMigrated { return false }
        isMigrated = try job.migrations.allSatisfy {
            try backend.catalogEntry(CatalogName.migration($0.name)) != nil
        }
        return !isMigrated
    }

    private func begin() throws -> EventReader {
        idle = (0, 0)
        guard let kept = try backend.keptChanges(for: job.trigger.key) else {
            throw CommitsGone()
        }
        position = kept.position
        return EventReader(backend, of: job.tables, after: position, keepsReaders: false)
    }

    private func next(of reader: EventReader) throws -> CommitEvents? {
        do { return try reader.next() } catch BackendError.changesGone { throw CommitsGone() }
    }

    private func goOn(after error: any Error) -> Double {
        switch error {
        case is TriggerMark.HasMoved: 0
        case is CommitsGone: skipWhatIsGone()
        default: delay(after: error)
        }
    }

    private func delay(after error: any Error) -> Double {
        pause = pause == 0 ? Self.pauses.lowerBound : min(2 * pause, Self.pauses.upperBound)
        job.log(
            .error,
            "The trigger '\(job.trigger.name)' has failed, and is called again in \(pause) s: \(error)"
        )
        return pause
    }

    /// Goes on with what is committed from now on.
    private func skipWhatIsGone() -> Double {
        do {
            if try backend.keepOn(job.trigger.key, limit: job.trigger.limit) != .kept {
                job.log(
                    .error,
                    "The store does not have all commits any more that the trigger '\(job.trigger.name)' "
                        + "was to be called for. It is called for later ones.")
            }
            return 0
        } catch { return delay(after: error) }
    }

    // MARK: One commit

    private func work(on commit: CommitEvents) throws {
        if !isForTrigger(commit) {
            idle.commits += 1
            idle.bytes += commit.size
            guard
                idle.commits >= Self.mostIdle || idle.bytes >= Int(clamping: job.trigger.limit / 4)
            else { return }
        }
        for attempt in 1... {
            do { return try save(commit) } catch StoreError.conflict(let conflicts) {
                closeStore()
                if attempt == Self.attempts { throw StoreError.conflict(conflicts) }
            }
        }
    }

    private func save(_ commit: CommitEvents) throws {
        let store = try openStore()
        let hasWork = isForTrigger(commit)
        if hasWork {
            try store.working {
                for event in commit.events { try job.trigger.body(store, event) }
            }
        }
        let next = try backend.position(of: commit.number)
        let mark = TriggerMark(
            job.trigger, from: position, to: next,
            triggers: hasWork ? commit.triggers.union([job.trigger.name]) : [])
        store.add(mark)
        defer { store.remove(mark) }
        try store.writeChanges(isForced: true)
        position = next
        idle = (0, 0)
        pause = 0
    }

    private func isForTrigger(_ commit: CommitEvents) -> Bool {
        !commit.events.isEmpty && !commit.triggers.contains(job.trigger.name)
    }

    private func openStore() throws -> Store {
        if let store {
            try store.refresh()
            return store
        }
        let made = try Store(
            backend: backend, reader: nil, classes: job.classes, migrations: [],
            versioning: job.versioning, log: job.log, parts: job.parts,
            label: job.trigger.key, isWorker: true)
        made.author = job.trigger.name
        store = made
        return made
    }

    private func closeStore() {
        // All of it is committed, or is to be made again.
        try? store?.abandon()
        store = nil
    }
}
