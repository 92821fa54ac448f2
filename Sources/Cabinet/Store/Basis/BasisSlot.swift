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

    /// Another store may commit from now on; `freeze` makes a reader that is frozen at the last commit before.
    ///
    /// The store may commit meanwhile. Said before the reader is made, it knows of this at the latest once it
    /// has made a commit that the reader does not have, and goes on from that one; before that it waits for the
    /// reader. The other way round it would go on alone, and then read from before its own commits.
    func share(
        _ freeze: () throws(BackendError) -> any BackendReader
    ) throws(BackendError) {
        try reader.withLock { reader throws(BackendError) in
            shared.store(true, ordering: .releasing)
            do throws(BackendError) { reader = try freeze() } catch {
                shared.store(false, ordering: .releasing)
                throw error
            }
        }
    }

    /// The reader that the store was frozen with; waits until it is made. The slot does not hold it any longer.
    func takeReader() -> (any BackendReader)? { reader.withLock { $0.take() } }

    /// A commit begins with the participants of a generation of the hub. The caller asks for the
    /// present generation only then, so it knows a later one, or that one waits for it.
    @inline(__always)
    func beginCommit(_ generation: Int) {
        committing.store(generation, ordering: .sequentiallyConsistent)
    }

    /// Has the engine make a commit, or give it up: the one way to commit, on any thread.
    ///
    /// - Parameters:
    ///   - freezes: whether a reader is wanted that is frozen at the commit.
    ///   - finishing: called once the commit is certain; it must not use the backend.
    @discardableResult
    func commit(
        _ batch: WriteBatch, to backend: any Backend, freezes: Bool = false,
        whenCertain finishing: () -> Void = {}
    ) throws(BackendError) -> (number: CommitNumber, reader: (any BackendReader)?) {
        let made: (CommitNumber, (any BackendReader)?)
        do throws(BackendError) {
            made =
                freezes
                ? try backend.commit(batch, freezing: label, meanwhile: finishing)
                : (try backend.commit(batch, meanwhile: finishing), nil)
        } catch {
            // Of a commit that may have been made, others wait for what becomes of it.
            if case .outcomeUnknown = error { throw error }
            endCommit()
            throw error
        }
        SchedulePoint.commit.pass()
        endCommit()
        return made
    }

    @inline(__always)
    func endCommit() { committing.store(.max, ordering: .releasing) }

    /// Whether a commit is under way that does not know what was registered before `generation`.
    func isCommitting(before generation: Int) -> Bool {
        committing.load(ordering: .sequentiallyConsistent) < generation
    }

    func endSharing() {
        shared.store(false, ordering: .releasing)
        reader.withLock { $0 = nil }
    }
}
