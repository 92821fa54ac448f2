import CabinetBackend
import Synchronization

/// What the stores over one backend share: the participants of their commits, whether one of them
/// has committed, which are open, and which must not see the commits of others yet.
///
/// A participant is registered once for a backend: every store over it makes one of its own, so a
/// save in one store keeps what another one registered. `Sendable`, because a lock and an atomic
/// guard its state.
final class CommitHub: Sendable {
    /// How each store makes a participant take part in its commits.
    struct Registration: Sendable {
        /// One registration of a name counts.
        let name: String
        /// Called by each store in its own isolation domain, before its next commit.
        let apply: @Sendable (Store) throws -> Void
    }

    private struct State: Sendable {
        /// What works for the stores, besides the upkeep.
        var workers: [any HubWorker] = []
        var registrations: [Registration] = []
        /// The stores that are open and may commit.
        var slots: [BasisSlot] = []
        /// How many others use the backend: containers, and stores that only read.
        var others = 0
        /// Called once when the backend is closed, by number.
        var endings: [Int: @Sendable () -> Void] = [:]
        var nextEnding = 0
        var isUsed: Bool { others > 0 || !slots.allSatisfy(\.isWorker) }
    }

    private let state = Guarded(State())
    private let counter = Atomic<Int>(0)
    let upkeep = UpkeepThread()
    private let slotCount = Atomic<Int>(0)

    /// The hub of each backend in use: few, and a dictionary's first use takes 0.1 ms.
    private static let hubs = Guarded<[WeakHub]>([])

    private struct WeakHub: Sendable {
        let backend: ObjectIdentifier
        weak let hub: CommitHub?
    }

    private init() {}

    /// The hub of `backend`, which the caller holds for as long as it holds the backend.
    static func of(_ backend: any Backend) -> CommitHub {
        hubs.withLock { hubs in
            let key = ObjectIdentifier(backend)
            hubs.removeAll { $0.hub == nil }
            if let hub = hubs.first(where: { $0.backend == key })?.hub { return hub }
            let hub = CommitHub()
            hubs.append(WeakHub(backend: key, hub: hub))
            return hub
        }
    }

    /// Rises with each registration and with each commit. If anything but its own commits has raised
    /// it, a store asks for ``registrations``, and reads what it knows of the catalog again.
    var generation: Int { counter.load(ordering: .sequentiallyConsistent) }

    func isCommitting(before generation: Int) -> Bool {
        state.withLock { state in
            state.slots.contains { $0.isCommitting(before: generation) }
        }
    }

    var registrations: [Registration] { state.withLock { $0.registrations } }

    /// How many registrations there are. None is taken back.
    var registrationCount: Int { state.withLock { $0.registrations.count } }

    /// Adds `registration`, unless one of its name is there. `false`, and nothing is added, if
    /// there are others than the `known` first ones.
    @discardableResult
    func register(_ registration: Registration, behind known: Int? = nil) -> Bool {
        SchedulePoint.hub.pass()
        defer { SchedulePoint.hub.pass() }
        return state.withLock { state in
            if let known, known != state.registrations.count { return false }
            guard !state.registrations.contains(where: { $0.name == registration.name }) else {
                return true
            }
            state.registrations.append(registration)
            counter.add(1, ordering: .sequentiallyConsistent)
            return true
        }
    }

    /// A store with `slot` is opened over `backend`. If it is not the only one, it and the stores
    /// that were alone until now are frozen at the last commit, where the engine can do that. Over a
    /// backend that others commit to as well, each store is.
    func enter(_ slot: BasisSlot, over backend: any Backend) throws(BackendError) {
        SchedulePoint.hub.pass()
        defer { SchedulePoint.hub.pass() }
        try state.withLock { state throws(BackendError) in
            if backend.hasOtherWriters, backend.isolatesCommits {
                try slot.share { () throws(BackendError) in try backend.snapshot() }
            } else if !state.slots.isEmpty, backend.isolatesCommits, backend.access == .readWrite {
                for other in state.slots + [slot] where !other.isShared {
                    try other.share { () throws(BackendError) in
                        try backend.snapshot(label: other.label)
                    }
                }
            }
            state.slots.append(slot)
            slotCount.store(state.slots.count, ordering: .releasing)
        }
    }

    /// A store that only reads, or a container, begins to use the backend.
    func enter() { state.withLock { $0.others += 1 } }

    /// A store was closed or freed. `true` if nothing uses the backend any more, workers included.
    func leave(_ slot: BasisSlot) -> Bool {
        let isLast = state.withLock { state in
            state.slots.removeAll { $0 === slot }
            slotCount.store(state.slots.count, ordering: .releasing)
            return !slot.isWorker && !state.isUsed
        }
        if isLast { endWork() }
        return isLast
    }

    /// As ``leave(_:)``, of a store that only read, or of a container.
    func leave() -> Bool {
        let isLast = state.withLock { state in
            state.others -= 1
            return !state.isUsed
        }
        if isLast { endWork() }
        return isLast
    }

    /// The worker of that type, made when first asked for.
    func worker<Worker: HubWorker>(make: @Sendable () -> Worker) -> Worker {
        state.withLock { state in
            for known in state.workers {
                if let known = known as? Worker { return known }
            }
            let made = make()
            state.workers.append(made)
            return made
        }
    }

    /// The worker of that type, if it was made.
    func knownWorker<Worker: HubWorker>(_ type: Worker.Type) -> Worker? {
        state.withLock { state in
            for known in state.workers {
                if let known = known as? Worker { return known }
            }
            return nil
        }
    }

    /// The backend is about to be closed: ends all that works for its stores.
    func endWork() {
        // Their saves may leave something to the upkeep.
        for worker in state.withLock({ $0.workers }) { worker.end() }
        upkeep.end()
    }

    /// Ends the sharing of the store with `slot`, which reads as of the commit `number`, if that is the
    /// last one and no other store that may commit is open. Returns whether it is alone.
    func endSharing(
        _ slot: BasisSlot, at number: CommitNumber, of backend: any Backend
    ) -> Bool {
        // Every save of many stores asks.
        guard slotCount.load(ordering: .acquiring) == 1 else { return false }
        return state.withLock { state in
            // A store that is closed by now may have committed since.
            guard state.slots.count == 1, state.slots[0] === slot,
                (try? backend.lastCommit()) == number
            else { return false }
            slot.endSharing()
            return true
        }
    }

    /// Calls `body` when a store or a container closes the backend, unless the call is cancelled.
    func onClose(_ body: @escaping @Sendable () -> Void) -> Subscription {
        let number = state.withLock { state in
            state.nextEnding += 1
            state.endings[state.nextEnding] = body
            return state.nextEnding
        }
        return Subscription { [weak self] in
            self?.state.withLock { _ = $0.endings.removeValue(forKey: number) }
        }
    }

    func noteClosed() {
        let endings = state.withLock { state in
            defer { state.endings = [:] }
            return state.endings
        }
        for body in endings.values { body() }
    }

    /// A store has committed. Returns the generation that it has made.
    func didCommit() -> Int { counter.add(1, ordering: .acquiringAndReleasing).newValue }
}

/// Works for the stores over one backend, mostly on a thread of its own.
protocol HubWorker: AnyObject, Sendable {
    /// Ends the work for good, and returns once its thread has ended.
    func end()
}

extension Backend {
    /// Whether stores see no commits of one another, and undo no changes of one another.
    var isolatesCommits: Bool { features.isSuperset(of: [.snapshots, .bases]) }
}
