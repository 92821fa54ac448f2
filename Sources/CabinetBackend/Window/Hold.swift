/// That a reader holds a commit in a ``VersionWindow``.
///
/// `@unchecked Sendable`, because what changes in it is touched under the engine's lock alone.
package final class Hold: @unchecked Sendable {
    /// The commit that is held.
    package let commit: CommitNumber
    /// Whether the window has given the commit up, so that what it was is not known any more.
    package internal(set) var isGivenUp = false
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

    /// - Throws: ``BackendError/snapshotTooOld(_:)`` once the window has given the commit up.
    package func check() throws(BackendError) {
        if isGivenUp { throw .snapshotTooOld(commit) }
    }
}
