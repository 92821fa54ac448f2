import CabinetBackend
import Dispatch

/// A save whose commit another thread makes.
final class BackgroundSave {
    let commit: Commit
    /// The objects that it writes or removes, with the states that they had before.
    let objects: [(object: StoredObject, state: ObjectState)]
    let names: PendingNames
    let notes: [String]
    let upgradedContents: [UInt64: ContentImage]
    private let work = BackgroundCommit()

    init(_ commit: Commit, _ names: PendingNames, in store: Store) {
        self.commit = commit
        self.names = names
        notes = store.attribution?.takeWritten() ?? []
        upgradedContents = store.upgradedContents
        objects = store.changes.objects.compactMap { object in
            object.state.isPending ? (object, object.state) : nil
        }
    }

    /// Has another thread make the commit.
    func start(over backend: any Backend, _ slot: BasisSlot) {
        work.start(commit.batch, over: backend, slot)
    }

    /// Returns once the commit was made or has failed; other code of the isolation domain runs
    /// meanwhile.
    func end(isolation: isolated (any Actor)?) async {
        let work = work
        await withCheckedContinuation(isolation: isolation) { work.whenDone($0) }
    }

    /// The same without letting other code run.
    func wait() -> Result<CommitNumber, BackendError> { work.wait() }
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
        let outcome = Result { () throws(BackendError) in try backend.commit(batch) }
        SchedulePoint.commit.pass()
        slot.endCommit()
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
