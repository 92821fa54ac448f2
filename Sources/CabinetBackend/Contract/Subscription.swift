import Synchronization

/// A call that is made after each commit, until this is cancelled or freed: keep it.
///
/// `Sendable`, because a lock guards its state.
public final class Subscription: Sendable {
    private let end: Guarded<(@Sendable () -> Void)?>

    /// For engines: `end` is called once, by ``cancel()`` or when the subscription is freed.
    public init(_ end: @escaping @Sendable () -> Void) { self.end = Guarded(end) }

    deinit { cancel() }

    /// Ends the calls. One that is under way on another thread goes on. Again it does nothing.
    public func cancel() {
        let end = end.withLock { end in
            defer { end = nil }
            return end
        }
        end?()
    }
}

/// The functions to call after commits, for an engine to keep.
///
/// The engine calls ``enqueue(_:)`` for each commit in the order of their numbers, inside its lock,
/// and ``deliver()`` afterwards, outside of it. One thread at a time makes the calls, so that they
/// come in order; a thread that has commits to announce meanwhile leaves them to that thread.
///
/// `Sendable`, because a lock guards its state.
public final class CommitSubscribers: Sendable {
    private struct State {
        var bodies: [(number: UInt64, body: @Sendable (CommitNumber) -> Void)] = []
        /// The commits to announce, and the first subscription that is too late for each.
        var waiting: [(commit: CommitNumber, before: UInt64)] = []
        var nextNumber: UInt64 = 0
        var isDelivering = false
    }

    private let state = Guarded(State())
    private let isNeeded = Atomic(false)

    /// There is no subscription.
    public init() {}

    /// Adds `body`; what ``Backend/onCommit(_:)`` gives.
    public func add(_ body: @escaping @Sendable (CommitNumber) -> Void) -> Subscription {
        let number = state.withLock { state in
            defer { state.nextNumber += 1 }
            state.bodies.append((state.nextNumber, body))
            isNeeded.store(true, ordering: .releasing)
            return state.nextNumber
        }
        return Subscription { [weak self] in self?.remove(number) }
    }

    private func remove(_ number: UInt64) {
        // Freed outside the lock, as the end of what it holds on to may cancel another one.
        let removed = state.withLock { state -> (@Sendable (CommitNumber) -> Void)? in
            guard let index = state.bodies.firstIndex(where: { $0.number == number }) else {
                return nil
            }
            let removed = state.bodies.remove(at: index)
            isNeeded.store(!state.bodies.isEmpty, ordering: .releasing)
            return removed.body
        }
        withExtendedLifetime(removed) {}
    }

    /// Whether there is a subscription.
    package var areThere: Bool { isNeeded.load(ordering: .acquiring) }

    /// Takes note of a commit.
    public func enqueue(_ commit: CommitNumber) {
        guard isNeeded.load(ordering: .acquiring) else { return }
        state.withLock { state in
            guard !state.bodies.isEmpty else { return }
            state.waiting.append((commit, state.nextNumber))
        }
    }

    /// Makes the calls that are due, unless another thread is at it, or a call further up this one.
    public func deliver() {
        guard isNeeded.load(ordering: .acquiring) else { return }
        let mayDeliver = state.withLock { state in
            guard !state.isDelivering, !state.waiting.isEmpty else { return false }
            state.isDelivering = true
            return true
        }
        guard mayDeliver else { return }
        while let (commit, number) = next() {
            // Asked for again before each call: an earlier one may have cancelled it.
            var from: UInt64 = 0
            while let (found, body) = body(from: from, before: number) {
                body(commit)
                from = found + 1
            }
        }
    }

    /// The next commit to announce. With the last one, delivering is over.
    private func next() -> (commit: CommitNumber, before: UInt64)? {
        state.withLock { state in
            guard !state.waiting.isEmpty else {
                state.isDelivering = false
                return nil
            }
            return state.waiting.removeFirst()
        }
    }

    private func body(
        from first: UInt64, before end: UInt64
    ) -> (number: UInt64, body: @Sendable (CommitNumber) -> Void)? {
        state.withLock { state in
            state.bodies.first { first..<max(first, end) ~= $0.number }
        }
    }
}
