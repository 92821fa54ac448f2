import CabinetBackend
import Dispatch

/// A save whose commit another thread makes, or of which the engine does not know yet whether it
/// was committed.
///
/// Until that is known, what it writes counts as saved, under later edits, and the store makes no
/// other save. If it was not committed, its objects are pending again, under these edits.
final class BackgroundSave {
    let batch: WriteBatch
    /// The objects that it writes or removes, with the states that they had before.
    let objects: [(object: StoredObject, state: ObjectState)]
    let names: PendingNames
    let notes: [Attribution.Note]
    let upgradedContents: [UInt64: ContentImage]
    /// What has become of it; `nil` until the store has taken note of that.
    private(set) var outcome: Result<CommitNumber, BackendError>?
    private let work = BackgroundCommit()
    /// What triggers have changed for it.
    var triggered: Triggered?

    init(_ batch: WriteBatch, in store: Store) {
        self.batch = batch
        names = store.pendingNames.copy()
        notes = store.attribution?.takeWritten() ?? []
        upgradedContents = store.upgradedContents
        objects = store.changes.objects.compactMap { object in
            object.state.isPending ? (object, object.state) : nil
        }
    }

    func start(over backend: any Backend, _ slot: BasisSlot) {
        work.start(batch, over: backend, slot)
    }

    func end(_ outcome: Result<CommitNumber, BackendError>) { work.end(outcome) }

    /// Returns once the commit was made or failed; other code of the domain runs meanwhile.
    func end(isolation: isolated (any Actor)?) async {
        let work = work
        await withCheckedContinuation(isolation: isolation) { work.whenDone($0) }
    }

    /// Waits for the end, and asks the engine if it did not know it.
    /// - Returns: `nil` if it does not know it yet. A commit that was not made after all failed with
    ///   ``BackendError/outcomeUnknown(token:)``.
    func findOutcome(over backend: any Backend) -> Result<CommitNumber, BackendError>? {
        outcome = work.wait()
        guard case .failure(.outcomeUnknown(let token)) = outcome else { return outcome }
        // An error of the engine says nothing: it is asked again at the next call.
        switch try? backend.outcome(of: token) {
        case .committed(let number): outcome = .success(number)
        case .notCommitted: break
        case nil: outcome = nil
        }
        return outcome
    }

    /// What the engine throws for a commit that it does not know of.
    var failure: BackendError? {
        if case .failure(let error) = work.wait() { error } else { nil }
    }
}

/// A commit on a thread of its own. `Sendable`, because a lock guards its state.
private final class BackgroundCommit: Sendable {
    private struct State: Sendable {
        var outcome: Result<CommitNumber, BackendError>?
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Guarded(State())
    private let group = DispatchGroup()

    func start(_ batch: WriteBatch, over backend: any Backend, _ slot: BasisSlot) {
        // Until the commit ends, nothing but the other thread touches the batch.
        nonisolated(unsafe) let batch = batch
        let thread = Schedule.expectThread()
        DispatchQueue.global(qos: .userInitiated).async(group: group) { [self] in
            thread.run { commit(batch, to: backend, slot) }
        }
    }

    private func commit(_ batch: WriteBatch, to backend: any Backend, _ slot: BasisSlot) {
        end(Result { () throws(BackendError) in try slot.commit(batch, to: backend).number })
    }

    func end(_ outcome: Result<CommitNumber, BackendError>) {
        let waiting = state.withLock { state in
            state.outcome = outcome
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }

    func whenDone(_ continuation: CheckedContinuation<Void, Never>) {
        let isDone = state.withLock { state in
            if state.outcome == nil { state.waiting.append(continuation) }
            return state.outcome != nil
        }
        if isDone { continuation.resume() }
    }

    func wait() -> Result<CommitNumber, BackendError> {
        Schedule.waiting { group.wait() }
        return state.withLock { $0.outcome } ?? .failure(.closed)
    }
}
