/// What a save does with objects that another store has changed since this one read them.
///
/// Not `Sendable`, as a closure may use the store's objects.
public enum ConflictPolicy {
    /// It throws ``StoreError/conflict(_:)``.
    case `throw`
    /// What is pending here replaces what the other store has saved. An object that it has deleted
    /// comes back, with what its delete rules have deleted with it; one that was deleted here goes.
    case mine
    /// What the other store has saved stays, and what is pending here of these objects is dropped: of a
    /// delete also what delete rules have deleted with it.
    case theirs
    /// Fields that one side has changed become what that side made of them. A list gets what either
    /// has added, loses what either has removed, and keeps the order that either has given it: an
    /// element that both have moved stands where it stands here, and none comes twice that neither
    /// has doubled. Of other fields that both have changed, what is pending here counts. A class
    /// that writes its content itself counts as one field. An object that one side has changed and
    /// the other has deleted cannot be merged: the save throws ``StoreError/conflict(_:)``.
    case merge
    /// The closure decides for each object.
    case resolve((ObjectConflict) throws -> ConflictResolution)
}

extension ConflictPolicy {
    var isMerge: Bool { if case .merge = self { true } else { false } }

    func resolution(of conflict: @autoclosure () throws -> ObjectConflict) throws
        -> ConflictResolution
    {
        switch self {
        case .throw: .throw
        case .mine: .mine
        case .theirs: .theirs
        case .merge: .merge
        case .resolve(let decide): try decide(try conflict())
        }
    }
}

/// What becomes of one object that two stores have changed. `Sendable`: a value.
public enum ConflictResolution: Hashable, Sendable {
    /// As ``ConflictPolicy/mine``.
    case mine
    /// As ``ConflictPolicy/theirs``.
    case theirs
    /// As ``ConflictPolicy/merge``.
    case merge
    /// As ``ConflictPolicy/merge``, but the fields of these names become what that side made of
    /// them. Names that the class does not have are passed over.
    case fields([String: Side])
    /// The save throws ``StoreError/conflict(_:)`` for this object and all others of the kind.
    case `throw`

    /// Whose value a field gets. `Sendable`: a value.
    public enum Side: Hashable, Sendable {
        /// What is pending in the store that saves.
        case mine
        /// What the other store has saved.
        case theirs
    }
}
