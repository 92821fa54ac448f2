import CLibrary
import CabinetBackend

/// That a frozen reader holds a commit. `Sendable`: it never changes.
final class HeldCommit: Sendable {
    let commit: CommitNumber
    let label: String
    let opened = Clock.microseconds()

    init(_ commit: CommitNumber, label: String) {
        self.commit = commit
        self.label = label
    }
}

/// The commits that frozen readers of this process hold. `Sendable`, because a lock guards its state.
package final class Holds: Sendable {
    private struct State {
        var held: [ObjectIdentifier: HeldCommit] = [:]
        /// What was before this commit may be gone.
        var floor: CommitNumber = 0

        var oldest: CommitNumber? { held.values.map(\.commit).min() }
    }

    private let state = Guarded(State())

    /// Holds a commit. `nil`: what was before it may be gone.
    func add(_ commit: CommitNumber, label: String) -> HeldCommit? {
        state.withLock { state in
            guard commit >= state.floor else { return nil }
            let hold = HeldCommit(commit, label: label)
            state.held[ObjectIdentifier(hold)] = hold
            return hold
        }
    }

    func release(_ hold: HeldCommit) {
        state.withLock { _ = $0.held.removeValue(forKey: ObjectIdentifier(hold)) }
    }

    package var oldest: CommitNumber? { state.withLock { $0.oldest } }

    var all: [HeldCommit] {
        state.withLock { Array($0.held.values) }
            .inOrder { ($0.commit, $0.opened) < ($1.commit, $1.opened) }
    }

    /// The store is about to forget what was before a commit, as far as nothing here holds it. Returns the
    /// commit up to which that may be; none before it is held from now on.
    func giveUp(before commit: CommitNumber) -> CommitNumber {
        state.withLock { state in
            let commit = min(commit, state.oldest ?? commit)
            state.floor = max(state.floor, commit)
            return commit
        }
    }
}

/// The clocks that sessions read.
package enum Clock {
    /// Since 1970-01-01 00:00 UTC.
    package static func microseconds() -> UInt64 { nanoseconds(CLOCK_REALTIME) / 1000 }

    /// Since some time, and never set back.
    package static func monotonic() -> Duration { .nanoseconds(nanoseconds(CLOCK_MONOTONIC)) }

    private static func nanoseconds(_ clock: clockid_t) -> UInt64 {
        var time = timespec()
        guard clock_gettime(clock, &time) == 0 else { return 0 }
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}
