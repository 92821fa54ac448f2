import CabinetBackend

/// What an earlier user of a store file has left unsaved: a program that crashed, or that closed the file
/// without saving or discarding. `Sendable`: a value.
///
/// The edits are in the store again. ``StoreFile/save(overwriting:progress:)`` writes them into the file,
/// ``StoreFile/revert(progress:)`` drops them.
public struct UnsavedEdits: Hashable, Sendable {
    /// What has become of the file since it was last read or written by that user.
    public enum FileState: Hashable, Sendable {
        /// It is as it was.
        case unchanged
        /// Another program has written it.
        case changed
        /// It is gone, or was moved to where it cannot be found.
        case missing
    }

    /// The last commit that the file has not.
    public let lastCommit: CommitNumber
    /// What has become of the file. Unless it is unchanged, saving needs to be told to overwrite.
    public let file: FileState
}
