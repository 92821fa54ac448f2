/// That a reader holds a commit in a ``VersionWindow``.
///
/// `@unchecked Sendable`, because what changes in it is touched under the engine's lock alone.
package final class Hold: @unchecked Sendable {
    /// The commit that is held.
    package let commit: CommitNumber
    /// Whether the window has given the commit up, so that what it was is not known any more.
    package internal(set) var isGivenUp = false

    init(_ commit: CommitNumber) { self.commit = commit }
}
