import Synchronization

/// That a reader holds a commit in a ``VersionWindow``.
///
/// `Sendable`, because atomics are all that changes in it.
package final class Hold: Sendable {
    /// The commit that is held.
    package let commit: CommitNumber
    /// Whether the window has given the commit up, so that what it was is not known any more.
    package var isGivenUp: Bool { givenUp.load(ordering: .acquiring) }
    private let givenUp = Atomic(false)
    /// Whether its reader is gone, though the window may not have let go of it yet.
    private let released = Atomic(false)
    package var isReleased: Bool { released.load(ordering: .acquiring) }
    let opened: UInt64
    let label: String
    /// How many bytes the window had noted before.
    let notedBefore: Int

    init(_ commit: CommitNumber, label: String, notedBefore: Int) {
        self.commit = commit
        self.label = label
        self.notedBefore = notedBefore
        opened = CommitFeed.microseconds()
    }

    func giveUp() { givenUp.store(true, ordering: .releasing) }

    /// Its reader is gone. The window is to let go of it when the engine's lock is taken next.
    package func release() { released.store(true, ordering: .releasing) }

    /// - Throws: ``BackendError/snapshotTooOld(_:)`` once the window has given the commit up.
    package func check() throws(BackendError) {
        if isGivenUp { throw .snapshotTooOld(commit) }
    }
}
