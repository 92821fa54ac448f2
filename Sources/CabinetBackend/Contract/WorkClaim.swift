/// The right to do one kind of work on a store, which nothing else has meanwhile: until this is ended or
/// freed, so keep it. `Sendable`, because a lock guards its state.
public final class WorkClaim: Sendable {
    private let subscription: Subscription

    /// For engines: `end` is called once, by ``end()`` or when the claim is freed.
    public init(_ end: @escaping @Sendable () -> Void = {}) { subscription = Subscription(end) }

    /// Gives the right up. Again it does nothing.
    public func end() { subscription.cancel() }
}

/// The work that is claimed in one process, for an engine to keep.
///
/// `Sendable`, because a lock guards its state.
public final class WorkClaims: Sendable {
    private let claimed = Guarded<Set<String>>([])

    /// Nothing is claimed.
    public init() {}

    /// Grants a claim, unless there is one of that name.
    public func claim(_ name: String) -> WorkClaim? {
        guard claimed.withLock({ $0.insert(name).inserted }) else { return nil }
        return WorkClaim { [weak self] in self?.claimed.withLock { _ = $0.remove(name) } }
    }
}
