import CLibrary
import CabinetBackend
import Synchronization

/// Lets one writer write at a time. A batch whose chunks are in the log already keeps the turn
/// until it is committed or discarded.
///
/// Threads wait in the order in which they came. One that commits is woken when the turn is free, and
/// may find that another has taken it: a thread that runs already is cheaper than one that must wake
/// up first. All others, and one that was passed often, get the turn handed over, so that none starves.
/// The thread that has the turn may make the commits of those that wait, and gives each its outcome.
///
/// `Sendable` because its own lock guards all of its state.
final class WriterTurn: @unchecked Sendable {
    private let lock = Lock()
    // Unchecked, because the lock orders all accesses: every commit makes a dozen.
    @exclusivity(unchecked) private var holder: ObjectIdentifier?
    /// The thread that staged the holder's latest chunk; `nil` while a call is under way, which
    /// will end by itself.
    @exclusivity(unchecked) private var stager: pthread_t?
    /// The threads that wait, in the order in which they came.
    @exclusivity(unchecked) private var waiting: [Waiter] = []
    /// Those whose commits were made. They are woken when the turn is free.
    @exclusivity(unchecked) private var ended: [(waiter: Waiter, outcome: Outcome)] = []
    /// How many threads wait with a batch that another thread may commit.
    private let waitingBatches = Atomic<Int>(0)

    typealias Outcome = Result<CommitOutcome, BackendError>

    // MARK: Taking

    /// Waits for the turn and takes it for `owner`, or keeps it if `owner` has it already.
    /// - Throws: ``BackendError/batchInProgress`` if this thread itself keeps it with another
    ///   batch, so that waiting would never end.
    func take(for owner: AnyObject) throws(BackendError) {
        let identity = ObjectIdentifier(owner)
        let waiter = try lock.withLock { () throws(BackendError) -> Waiter? in
            if takeAtOnce(identity) { return nil }
            try checkStager()
            let waiter = Waiter(identity, .other)
            waiting.append(waiter)
            return waiter
        }
        if let waiter { _ = Schedule.waiting { waiter.awaitSignal() } }
    }

    /// As ``take(for:)``, to commit `batch`.
    ///
    /// - Parameters:
    ///   - label: of the frozen reader that is wanted with the commit; `nil` for none.
    ///   - isShared: whether another thread may make the commit.
    /// - Returns: `nil` if the caller has the turn now. Otherwise what has become of the batch, which
    ///   another thread has committed.
    @inline(__always)
    func take(
        for owner: AnyObject, toCommit batch: WriteBatch, label: String?, isShared: Bool
    ) throws(BackendError) -> Outcome? {
        let identity = ObjectIdentifier(owner)
        if lock.withLock({ takeAtOnce(identity) }) { return nil }
        return try waitToCommit(Waiter(identity, .commit, isShared ? batch : nil, label))
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
    private func waitToCommit(_ waiter: Waiter) throws(BackendError) -> Outcome? {
        let isFree = try lock.withLock { () throws(BackendError) in
            if takeAtOnce(waiter.owner) { return true }
            try checkStager()
            waiting.append(waiter)
            countBatches()
            return false
        }
        if isFree { return nil }
        while true {
            if case .ended(let outcome) = Schedule.waiting({ waiter.awaitSignal() }) {
                return outcome
            }
            let isTaken = lock.withLock {
                guard !waiter.isEnded, takeAtOnce(waiter.owner) else {
                    waiter.passes += 1
                    return false
                }
                waiting.removeAll { $0 === waiter }
                countBatches()
                return true
            }
            if isTaken { return nil }
        }
    }

    private func countBatches() {
        let count = waiting.reduce(0) { $1.batch == nil ? $0 : $0 + 1 }
        waitingBatches.store(count, ordering: .relaxed)
    }

    // MARK: Keeping and giving back

    /// So often a commit lets others pass.
    private static let patience = 8

    /// Keeps the turn beyond the call that took it.
    func keep() { lock.withLock { stager = pthread_self() } }

    /// Gives the turn back, if it is `owner`'s. Returns whether it was.
    @discardableResult
    func giveBack(_ owner: AnyObject) -> Bool {
        var next: Waiter?
        var ended: [(waiter: Waiter, outcome: Outcome)] = []
        let isDone = lock.withLock {
            guard holder == ObjectIdentifier(owner) else { return false }
            stager = nil
            holder = nil
            if waiting.isEmpty, self.ended.isEmpty { return true }
            next = waiting.first
            if let next, next.purpose == .other || next.passes > Self.patience {
                waiting.removeFirst()
                holder = next.owner
            }
            swap(&ended, &self.ended)
            return true
        }
        // The next sync may begin while those that have theirs go on.
        next?.signal(.free)
        for (waiter, outcome) in ended { waiter.signal(.ended(outcome)) }
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

    /// Gives waiting threads the outcomes of their commits. Their calls return once the caller has given
    /// the turn back.
    func end(_ ended: [(waiter: Waiter, outcome: Outcome)]) {
        lock.withLock {
            self.ended += ended
            for (waiter, _) in ended { waiter.isEnded = true }
            waiting.removeAll { $0.isEnded }
            countBatches()
        }
    }
}

extension WriterTurn {
    /// A thread that waits for the turn. What is not constant is the turn's lock's, but for the signal,
    /// which has one of its own: so threads that are woken together do not wait for one another.
    final class Waiter {
        enum Purpose { case commit, other }

        enum Signal {
            /// The turn is free, or the waiter's already.
            case free
            /// Another thread has made the commit.
            case ended(Outcome)
        }

        let owner: ObjectIdentifier
        let purpose: Purpose
        /// What the thread that has the turn may commit; nothing else touches it meanwhile.
        let batch: WriteBatch?
        /// Of the frozen reader that is wanted with the commit.
        let label: String?
        /// How often it woke and found that another thread had taken the turn.
        fileprivate(set) var passes = 0
        /// Whether there is an outcome, which comes once the turn is given back.
        fileprivate(set) var isEnded = false

        private let lock = Lock()
        private let condition = Condition()
        private var signal: Signal?

        init(
            _ owner: ObjectIdentifier, _ purpose: Purpose, _ batch: WriteBatch? = nil,
            _ label: String? = nil
        ) {
            self.owner = owner
            self.purpose = purpose
            self.batch = batch
            self.label = label
        }

        /// Waits for a signal.
        func awaitSignal() -> Signal {
            lock.withLock {
                while true {
                    if let signal = signal.take() { return signal }
                    condition.wait(holding: lock)
                }
            }
        }

        /// Wakes the thread. That the commit has ended is not overwritten.
        func signal(_ new: Signal) {
            lock.withLock {
                if case .ended = signal { return }
                signal = new
            }
            condition.announce()
        }
    }
}
