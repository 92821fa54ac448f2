import CabinetBackend
import Foundation

/// What one commit has done to one object. `Sendable`: a value.
public struct ObjectEvent<Object: StoredObject>: Hashable, Sendable {
    /// What became of the object.
    public enum Kind: Hashable, Sendable {
        /// It is new, or its delete was undone: its fields.
        case inserted([DecodedField])
        /// It has other values in these fields, in their order.
        case changed([FieldChange])
        /// It is gone: the fields that it had; none if they are not known, as those of `written`.
        case deleted([DecodedField])
        /// It is new or has changed: its fields. Which of the two is not known, only of commits before the
        /// iteration has begun, and if the record that was there is damaged.
        case written([DecodedField])
    }

    /// The object.
    public let id: ObjectID<Object>
    /// What became of it. A class that writes its content itself has no fields here.
    public let kind: Kind
    /// The commit.
    let header: EventHeader

    /// The number of the commit.
    public var commit: CommitNumber { header.number }
    /// When the commit was made, by that machine's clock.
    public var date: Date { header.date }
    /// Who has made it, as ``Store/author`` was then; `nil`: not said.
    public var author: String? { header.author }
    /// The notes that ``Store/note(_:)`` has added to it.
    public var notes: [String] { header.notes }
    /// The steps of undo that were taken back or made again in it, and those with a name that were made.
    public var steps: [CommitStep] { header.steps }
    /// Where to go on after the commit, also in a later run: keep it once all events of the commit were
    /// taken, as the next event shows by its ``commit``. `nil` if the engine has no such positions.
    public var position: ChangePosition? { header.position }
}

extension ObjectEvent {
    /// The same event, of the object as one of another class.
    init<Other>(_ other: ObjectEvent<Other>) {
        id = ObjectID(other.id)
        kind =
            switch other.kind {
            case .inserted(let fields): .inserted(fields)
            case .changed(let fields): .changed(fields)
            case .deleted(let fields): .deleted(fields)
            case .written(let fields): .written(fields)
            }
        header = other.header
    }
}

/// What a commit says of itself.
struct EventHeader: Hashable, Sendable {
    let number: CommitNumber
    let date: Date
    let author: String?
    let notes: [String]
    let steps: [CommitStep]
    let position: ChangePosition?
}

/// A step of undo in a commit. `Sendable`: a value.
public struct CommitStep: Hashable, Sendable {
    /// What was done with the step.
    public enum Kind: Hashable, Sendable {
        /// It was made: ``UndoHistory/group(_:_:)``.
        case made
        /// It was taken back: ``UndoHistory/undo()``.
        case undone
        /// It was made again: ``UndoHistory/redo()``.
        case redone
    }

    /// What was done with the step.
    public let kind: Kind
    /// The name of its group; empty for a step outside of a group.
    public let name: String
}

/// A field whose value has changed. `Sendable`: a value.
public struct FieldChange: Hashable, Sendable {
    /// The name of the property.
    public let name: String
    /// What it was; `nil` if the former record did not have the field.
    public let old: FieldValue?
    /// What it is; `nil` if the record does not have the field any more.
    public let new: FieldValue?
}
