import CabinetBackend
import Synchronization

/// What the stores over one backend share: the participants of their commits, whether one of them
/// has committed, and how many are open.
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
        var registrations: [Registration] = []
        /// How many stores are open.
        var stores = 0
    }

    private let state = Guarded(State())
    private let counter = Atomic<Int>(0)

    /// The hub of each backend that a store is open over.
    private static let hubs = Guarded<[ObjectIdentifier: WeakHub]>([:])

    private struct WeakHub: Sendable {
        weak let hub: CommitHub?
    }

    private init() {}

    /// The hub of `backend`, which the caller holds for as long as it holds the backend.
    static func of(_ backend: any Backend) -> CommitHub {
        hubs.withLock { hubs in
            let key = ObjectIdentifier(backend)
            if let hub = hubs[key]?.hub { return hub }
            hubs = hubs.filter { $0.value.hub != nil }
            let hub = CommitHub()
            hubs[key] = WeakHub(hub: hub)
            return hub
        }
    }

    /// Rises with each registration and with each commit. If anything but its own commits has raised
    /// it, a store asks for ``registrations``, and reads what it knows of the catalog again.
    var generation: Int { counter.load(ordering: .acquiring) }

    var registrations: [Registration] { state.withLock { $0.registrations } }

    /// Adds `registration`, unless one of its name is there.
    func register(_ registration: Registration) {
        state.withLock { state in
            guard !state.registrations.contains(where: { $0.name == registration.name }) else {
                return
            }
            state.registrations.append(registration)
            counter.add(1, ordering: .acquiringAndReleasing)
        }
    }

    /// A store was opened over the backend.
    func enter() { state.withLock { $0.stores += 1 } }

    /// A store was closed or freed. `true` if it was the last one.
    func leave() -> Bool {
        state.withLock { state in
            state.stores -= 1
            return state.stores == 0
        }
    }

    /// A store has committed. Returns the generation that it has made.
    func didCommit() -> Int { counter.add(1, ordering: .acquiringAndReleasing).newValue }
}
