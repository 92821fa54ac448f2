import CabinetBackend
import Synchronization

/// What the other stores over a backend reach of one store: the frozen reader that it must read
/// from once another store may commit.
///
/// A store that is alone reads the backend as it is, as only its own commits change it. The second
/// store that is opened freezes the first one at the last commit, through its slot. `Sendable`,
/// because a lock and an atomic guard its state.
final class BasisSlot: Sendable {
    /// Where the store was made.
    let label: String
    private let shared = Atomic<Bool>(false)
    /// As of which generation of the hub the store makes its present commit; `Int.max`: it makes none.
    private let committing = Atomic<Int>(.max)
    private let reader = Guarded<(any BackendReader)?>(nil)

    /// Whether the store is one that works for the others: it alone keeps no backend open.
    let isWorker: Bool

    init(_ label: String, isWorker: Bool = false) {
        (self.label, self.isWorker) = (label, isWorker)
    }

    /// Whether another store may commit. It becomes `true` before one can.
    @inline(__always)
    var isShared: Bool { shared.load(ordering: .acquiring) }

    /// Another store may commit from now on; `reader` is frozen at the last commit before.
    func share(_ reader: any BackendReader) {
        self.reader.withLock { $0 = reader }
        shared.store(true, ordering: .releasing)
    }

    /// The reader that the store was frozen with. The slot does not hold it any longer.
    func takeReader() -> (any BackendReader)? { reader.withLock { $0.take() } }

    /// A commit begins whose participants are those of a generation of the hub. The caller asks for the
    /// present generation only then, so one that others make is known to the store, or waits for it.
    @inline(__always)
    func beginCommit(_ generation: Int) {
        committing.store(generation, ordering: .sequentiallyConsistent)
    }

    /// The commit was made, or given up.
    @inline(__always)
    func endCommit() { committing.store(.max, ordering: .releasing) }

    /// Whether a commit is under way that does not know what was registered before `generation`.
    func isCommitting(before generation: Int) -> Bool {
        committing.load(ordering: .sequentiallyConsistent) < generation
    }

    /// The store is alone again.
    func endSharing() {
        shared.store(false, ordering: .releasing)
        reader.withLock { $0 = nil }
    }
}
