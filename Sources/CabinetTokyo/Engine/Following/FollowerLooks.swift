import CabinetBackend
import Dispatch

/// Takes up what another process has committed, again and again, as long as a follower has subscribers: soon after
/// a commit, and less often the longer there is none, at least four times a second.
///
/// `Sendable`: a lock guards whether it is at it.
final class FollowerLooks: Sendable {
    /// In nanoseconds; after a failure it waits longest.
    private static let (shortest, longest, afterFailure) = (10_000_000, 250_000_000, 2_000_000_000)

    private let isActive = Guarded(false)

    /// There is a subscriber.
    func begin(_ follower: TokyoBackend) {
        let isFirst = isActive.withLock { isActive in
            defer { isActive = true }
            return !isActive
        }
        if isFirst { look(follower, after: Self.shortest) }
    }

    private func look(_ follower: TokyoBackend, after pause: Int, hasFailed: Bool = false) {
        let time = DispatchTime.now() + .nanoseconds(pause)
        DispatchQueue.global(qos: .utility).asyncAfter(deadline: time) {
            [weak self, weak follower] in
            guard let self, let follower, goesOn(follower) else { return }
            do throws(BackendError) {
                let before = follower.lastVisible
                let isNew = try follower.refresh() > before
                look(follower, after: isNew ? Self.shortest : min(pause * 3 / 2, Self.longest))
            } catch {
                if case .closed = error { return }
                // Once: a failure also shows where the store is used.
                if !hasFailed {
                    follower.log(
                        .warning, "What other processes have saved cannot be taken up: \(error)")
                }
                look(follower, after: Self.afterFailure, hasFailed: true)
            }
        }
    }

    /// `false` once there is no subscriber; the next one begins anew.
    private func goesOn(_ follower: TokyoBackend) -> Bool {
        isActive.withLock { isActive in
            isActive =
                follower.subscribers.areThere && !follower.hasClosed.load(ordering: .acquiring)
            return isActive
        }
    }
}
