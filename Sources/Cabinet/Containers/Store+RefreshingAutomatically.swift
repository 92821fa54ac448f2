import CabinetBackend

extension Store {
    /// Whether the store, which belongs to the main actor, catches up by itself when another store
    /// has saved: `false` at first.
    ///
    /// It does what ``refresh()`` does, soon after each commit, when the main actor has nothing
    /// else to do. A failure goes to the log sink and into the `failure` of live objects and values, and the
    /// next commit makes it try again.
    @MainActor
    public var refreshesAutomatically: Bool {
        get { annex(MainActorFollowing.self) { _ in MainActorFollowing() }.isOn }
        set { annex(MainActorFollowing.self) { _ in MainActorFollowing() }.set(newValue, self) }
    }
}

/// Refreshes a store of the main actor after the commits of others.
@MainActor
private final class MainActorFollowing {
    private weak var store: Store?
    private var subscription: Subscription?
    private let isScheduled = Guarded(false)
    private var isBehind = false

    nonisolated init() {}

    var isOn: Bool { subscription != nil }

    func set(_ isOn: Bool, _ store: Store) {
        guard isOn != self.isOn else { return }
        self.store = store
        subscription = isOn ? store.backend.onCommit { [weak self] _ in self?.schedule() } : nil
    }

    /// On any thread. One task takes up all commits until it runs.
    nonisolated private func schedule() {
        let isFirst = isScheduled.withLock { isScheduled in
            defer { isScheduled = true }
            return !isScheduled
        }
        if isFirst { Task { @MainActor in await self.refresh() } }
    }

    private func refresh() async {
        isScheduled.withLock { $0 = false }
        // One that fails leaves the store where it was.
        while isOn, let save = store?.backgroundSave {
            await save.end(isolation: #isolation)
            if store?.backgroundSave === save { break }
        }
        guard isOn, let store, !store.hasEnded else { return }
        do {
            try store.refresh()
            if isBehind { store.watchers?.note(failureToRefresh: nil) }
            isBehind = false
        } catch {
            // A container may have been closed since the commit.
            if case BackendError.closed = error { return }
            isBehind = true
            store.watchers?.note(failureToRefresh: error)
            store.log(.warning, "The store could not catch up with the saves of others: \(error)")
        }
    }
}
