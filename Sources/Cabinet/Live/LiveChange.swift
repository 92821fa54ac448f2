import CabinetBackend

/// What has changed of a live list since the change before, as a view of the list applies it.
///
/// The indices are legal for a table view: ``deletions`` and the `from` of ``moves`` count in the list
/// before the change, ``insertions``, the `to` of moves and ``updates`` in ``objects``. What neither
/// of them names stays in its order. Not `Sendable`, as the objects are not.
public struct LiveChange<Object: StoredObject> {
    /// An object that stands elsewhere.
    public struct Move: Hashable, Sendable {
        /// Where it stood before the change.
        public let from: Int
        /// Where it stands in ``LiveChange/objects``.
        public let to: Int
    }

    /// The list as of this change, and not a newer one.
    public let objects: LiveList<Object>
    /// Whether the list is to be taken as a whole: it is the first change of a sequence, or it is not
    /// known what has changed. Then there are no indices.
    public let isReset: Bool
    /// Where objects have left the list, in ascending order.
    public let deletions: [Int]
    /// Where objects have entered the list, in ascending order.
    public let insertions: [Int]
    /// The objects that stand in another order than before, by ascending `to`.
    public let moves: [Move]
    /// The objects whose own content is another, moved ones too, in ascending order. An object that
    /// has entered is none of them.
    public let updates: [Int]
    /// The commit as of which the list is, or a later one that has not changed it.
    public let commit: CommitNumber
    /// Why the list has changed; empty for the first change, unless that is a ``LiveCause/resumption``.
    public let cause: LiveCause
    /// The authors of the commits that have changed it, in alphabetical order: see ``Store/author``.
    /// Empty for the first change.
    public let authors: [String]

    /// The position of ``commit``: ``LiveObjects/resume(after:)`` goes on from it, also in a later run.
    /// - Throws: ``StoreError/closed``, ``BackendError/unsupported(_:)`` of an engine without
    ///   ``BackendFeatures/lines``.
    public func position() throws -> ChangePosition {
        try objects.store.checkOpen()
        return try objects.store.backend.position(of: commit)
    }
}
