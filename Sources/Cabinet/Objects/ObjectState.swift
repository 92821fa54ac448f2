/// What an object is to its store: bits, so that the hot questions are one test each.
@usableFromInline
struct ObjectState: OptionSet, Sendable {
    @usableFromInline let rawValue: UInt32

    @inlinable init(rawValue: UInt32) { self.rawValue = rawValue }

    /// The content has not been read yet.
    @inlinable static var fault: ObjectState { ObjectState(rawValue: 1) }
    /// The object reports its next change: nothing is pending yet, or changes are recorded.
    @inlinable static var reportsChange: ObjectState { ObjectState(rawValue: 2) }
    /// The object reports each read: it may be observed.
    @inlinable static var reportsReads: ObjectState { ObjectState(rawValue: 4) }
    /// An observer has read the object; the object reports each change to it.
    @inlinable static var observed: ObjectState { ObjectState(rawValue: 8) }
    /// The backend holds a record of the object.
    static let saved = ObjectState(rawValue: 16)
    /// The next save writes it for the first time (or again, after a delete was undone).
    static let inserted = ObjectState(rawValue: 32)
    /// The next save writes it again.
    static let updated = ObjectState(rawValue: 64)
    /// It was deleted: the next save removes its record, or an earlier one has. It keeps its store
    /// until it is freed, so that undo finds the same instance.
    @inlinable static var deleted: ObjectState { ObjectState(rawValue: 128) }
    /// It stands in the list of pending changes.
    static let listed = ObjectState(rawValue: 256)
    /// Its content could not be read whole; it must not be written.
    static let unreadable = ObjectState(rawValue: 512)
    /// `prepareForDelete()` is running.
    static let beingDeleted = ObjectState(rawValue: 1024)
    /// As of the last save there is no record of its row: what a rollback goes back to.
    static let buried = ObjectState(rawValue: 2048)

    /// It was met by a walk over many objects that takes each once.
    static let collected = ObjectState(rawValue: 4096)
    /// It counts as updated because a list of it is being edited, which may turn out as it was.
    static let tentative = ObjectState(rawValue: 8192)

    /// Its `id` is a number of its own, which it keeps until it is freed.
    static let numbered = ObjectState(rawValue: 16384)

    /// Bytes of some fields are kept beside it: they were not decoded yet, or cannot be.
    @inlinable static var keepsBytes: ObjectState { ObjectState(rawValue: 32768) }

    /// Its relationships hold what its record refers to; without the bit that is not known. Set
    /// where a record was read or written whole, cleared where anything is put into a relationship
    /// or out of it.
    static let refersAsSaved = ObjectState(rawValue: 65536)
    /// Likewise they hold what the save under way has written.
    static let refersAsWritten = ObjectState(rawValue: 131072)
    /// No relationship with an inverse holds anything, or will by an edit; else not known.
    @inlinable static var unrelated: ObjectState { ObjectState(rawValue: 262144) }
    /// What is known of its references: `refersAsSaved`, `refersAsWritten` and `unrelated`.
    static let knownReferences = ObjectState(rawValue: 458752)

    /// An edit put it into a relationship with an inverse. The bit may outlast the edit.
    @inlinable static var arriving: ObjectState { ObjectState(rawValue: 524288) }
    /// What is known of its references, and whether it arrives.
    static let knownRelations = ObjectState(rawValue: 983040)
    /// What an object must be of to be put into lists without a closer look: `fault`, `deleted` and
    /// `unrelated`, and only the last of them.
    @inlinable static var arrival: ObjectState { ObjectState(rawValue: 262273) }

    /// Deleted, and its row had a record: no other object gets the row, so references are written.
    static let wasSaved = ObjectState(rawValue: 1_048_576)

    static let plain: ObjectState = []
    /// What an object keeps when all that is pending is saved or dropped.
    static let lasting: ObjectState = [.reportsReads, .observed, .numbered, .keepsBytes, .wasSaved]
    /// As `lasting`, and whether the object can be read.
    static let lastingWithTrouble: ObjectState = [
        .unreadable, .reportsReads, .observed, .numbered, .keepsBytes, .wasSaved,
    ]
    /// What an object keeps when it is given another state.
    static let transient: ObjectState = [
        .listed, .beingDeleted, .buried, .reportsReads, .observed, .collected, .numbered,
        .keepsBytes, .refersAsSaved, .unrelated, .arriving, .wasSaved,
    ]

    // Numbers, as a list of options is a block of memory wherever it is not optimized.

    /// What a read does not simply pass by: `fault`, `reportsReads` and `keepsBytes`.
    @inlinable static var needsRead: ObjectState { ObjectState(rawValue: 32773) }
    /// Bits with which a read is reported to the store: `fault` and `reportsReads`.
    @inlinable static var needsReport: ObjectState { ObjectState(rawValue: 5) }
    /// What a change does not simply pass: `fault`, `reportsChange`, `observed`, `keepsBytes`.
    @inlinable static var needsChange: ObjectState { ObjectState(rawValue: 32779) }
    /// Bits with which a change is reported to the store: `fault` and `reportsChange`.
    @inlinable static var needsStore: ObjectState { ObjectState(rawValue: 3) }

    /// Cleared while content is set otherwise: `fault`, `reportsChange`, `knownReferences`.
    static let noticed = ObjectState(rawValue: 458755)

    /// Whether the next save has something to do for the object.
    var isPending: Bool {
        !isDisjoint(with: .written) || isSuperset(of: .savedAndDeleted)
    }

    /// The next save writes it: `inserted` and `updated`.
    static let written = ObjectState(rawValue: 96)
    /// The next save removes its record.
    static let savedAndDeleted = ObjectState(rawValue: 144)
}

/// What `OptionSet` has, by numbers: without optimization each of its own is up to nine generic calls, and
/// an object's state is looked at everywhere.
extension ObjectState {
    @inlinable init(arrayLiteral members: ObjectState...) {
        var bits: UInt32 = 0
        for member in members { bits |= member.rawValue }
        self.init(rawValue: bits)
    }

    @inlinable func contains(_ member: ObjectState) -> Bool { isSuperset(of: member) }
    @inlinable func isSuperset(of other: ObjectState) -> Bool {
        rawValue & other.rawValue == other.rawValue
    }
    @inlinable func isDisjoint(with other: ObjectState) -> Bool { rawValue & other.rawValue == 0 }
    @inlinable func intersection(_ other: ObjectState) -> ObjectState {
        ObjectState(rawValue: rawValue & other.rawValue)
    }
    @inlinable func union(_ other: ObjectState) -> ObjectState {
        ObjectState(rawValue: rawValue | other.rawValue)
    }
    @inlinable func subtracting(_ other: ObjectState) -> ObjectState {
        ObjectState(rawValue: rawValue & ~other.rawValue)
    }
    @inlinable mutating func formUnion(_ other: ObjectState) { self = union(other) }
    @inlinable mutating func subtract(_ other: ObjectState) { self = subtracting(other) }
}
