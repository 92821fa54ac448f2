import CLibrary
import CabinetBackend
import Synchronization

/// Lets one writer write at a time. A batch whose chunks are in the log already keeps the turn
/// until it is committed or discarded.
///
/// Threads wait in the order in which they came. One that commits is woken when the turn is free, and
/// may find that another has taken it: a thread that runs already is cheaper than one that must wake
/// up first. All others get the turn handed over, so commits cannot starve them. The thread that has
/// the turn may make the commits of those that wait, and gives each its outcome.
///
/// `Sendable` because its own lock guards all of its state.
final class WriterTurn: @unchecked Sendable {
    private let lock = Lock()
    private var holder: ObjectIdentifier?
    /// The thread that staged the holder's latest chunk; `nil` while a call is under way, which
    /// will end by itself.
    private var stager: pthread_t?
    /// The threads that wait, in the order in which they came.
    private var waiting: [Waiter] = []
    /// How many of them wait with a batch that another thread may commit.
    private let waitingBatches = Atomic<Int>(0)

    /// A thread that waits for the turn.
    final class Waiter {
        fileprivate enum Purpose { case commit, other }

        fileprivate let owner: ObjectIdentifier
        fileprivate let purpose: Purpose
        fileprivate let condition = Condition()
        /// What the thread that has the turn may commit; nothing else touches it meanwhile.
        let batch: WriteBatch?
        /// Whether the turn was handed over.
        fileprivate var isGranted = false
        fileprivate var outcome: Result<CommitNumber, BackendError>?

        fileprivate init(_ owner: ObjectIdentifier, _ purpose: Purpose, _ batch: WriteBatch?) {
            self.owner = owner
            self.purpose = purpose
            self.batch = batch
        }
    }

    // MARK: Taking

    /// Waits for the turn and takes it for `owner`, or keeps it if `owner` has it already.
    /// - Throws: ``BackendError/batchInProgress`` if this thread itself keeps it with another
    ///   batch, so that waiting would never end.
    func take(for owner: AnyObject) throws(BackendError) {
        let identity = ObjectIdentifier(owner)
        try lock.withLock { () throws(BackendError) in
            if takeAtOnce(identity) { return }
            try checkStager()
            let waiter = Waiter(identity, .other, nil)
            waiting.append(waiter)
            while !waiter.isGranted { waiter.condition.wait(holding: lock) }
        }
    }

    /// As ``take(for:)``, to commit `batch`.
    ///
    /// - Parameter isShared: whether another thread may make the commit.
    /// - Returns: `nil` if the caller has the turn now. Otherwise what has become of the batch, which
    ///   another thread has committed.
    @inline(__always)
    func take(
        for owner: AnyObject, toCommit batch: WriteBatch, isShared: Bool
    ) throws(BackendError) -> Result<CommitNumber, BackendError>? {
        let identity = ObjectIdentifier(owner)
        return try lock.withLock { () throws(BackendError) in
            takeAtOnce(identity)
                ? nil : try waitToCommit(Waiter(identity, .commit, isShared ? batch : nil))
        }
    }

    @inline(__always)
    private func takeAtOnce(_ identity: ObjectIdentifier) -> Bool {
        if let holder, holder != identity { return false }
        holder = identity
        stager = nil
        return true
    }

    /// Only a thread that does not wait can have staged a chunk.
    private func checkStager() throws(BackendError) {
        if let stager, pthread_equal(stager, pthread_self()) != 0 { throw .batchInProgress }
    }

    @inline(never)
    private func waitToCommit(
        _ waiter: Waiter
    ) throws(BackendError) -> Result<CommitNumber, BackendError>? {
        try checkStager()
        waiting.append(waiter)
        countBatches()
        while true {
            if let outcome = waiter.outcome { return outcome }
            if takeAtOnce(waiter.owner) {
                waiting.removeAll { $0 === waiter }
                countBatches()
                return nil
            }
            waiter.condition.wait(holding: lock)
        }
    }

    private func countBatches() {
        let count = waiting.reduce(0) { $1.batch == nil ? $0 : $0 + 1 }
        waitingBatches.store(count, ordering: .relaxed)
    }

    // MARK: Keeping and giving back

    /// Keeps the turn beyond the call that took it.
    func keep() { lock.withLock { stager = pthread_self() } }

    /// Gives the turn back, if it is `owner`'s. Returns whether it was.
    @discardableResult
    func giveBack(_ owner: AnyObject) -> Bool {
        let (isDone, next) = lock.withLock { () -> (Bool, Waiter?) in
            guard holder == ObjectIdentifier(owner) else { return (false, nil) }
            stager = nil
            holder = nil
            guard let next = waiting.first else { return (true, nil) }
            if next.purpose == .other {
                waiting.removeFirst()
                holder = next.owner
                next.isGranted = true
            }
            return (true, next)
        }
        next?.condition.announce()
        return isDone
    }

    func isHeld(by owner: AnyObject) -> Bool {
        lock.withLock { holder == ObjectIdentifier(owner) }
    }

    // MARK: Commits of other threads

    /// Whether threads wait with batches that the one that has the turn may commit. One that comes at
    /// the same moment may be missed.
    @inline(__always)
    var hasWaitingBatches: Bool { waitingBatches.load(ordering: .relaxed) > 0 }

    /// The threads that wait with a batch. They wait for as long as the caller has the turn, unless it
    /// gives them an outcome.
    func waitersWithBatches() -> [Waiter] {
        lock.withLock { waiting.filter { $0.batch != nil } }
    }

    /// Gives waiting threads the outcomes of their commits; their calls return.
    func end(_ ended: [(waiter: Waiter, outcome: Result<CommitNumber, BackendError>)]) {
        lock.withLock {
            for (waiter, outcome) in ended { waiter.outcome = outcome }
            waiting.removeAll { $0.outcome != nil }
            countBatches()
        }
        for (waiter, _) in ended { waiter.condition.announce() }
    }
}
