import CabinetBackend

/// An object that this store and another one have changed, each without knowing of the other's
/// change: what a save finds, before it writes anything. `Sendable`: a value.
public struct ObjectConflict: Hashable, Sendable {
    /// What the two have done.
    public enum Kind: Hashable, Sendable {
        /// Both have changed it.
        case changed
        /// This store has deleted it, and the other one has changed it.
        case deletedHere
        /// The other one has deleted it, and this store has changed it, or refers to it now.
        case deletedElsewhere
    }

    /// The storage name of the object's class.
    public let className: String
    /// The row of the object in the table of its class.
    public let rowID: RowID
    /// What the two have done.
    public let kind: Kind
    /// The fields that at least one of the two has changed, in the order of their declarations.
    /// Empty if the object was deleted, and of a class that writes its content itself.
    public let fields: [FieldConflict]

    init(className: String, rowID: RowID, kind: Kind, fields: [FieldConflict] = []) {
        (self.className, self.rowID) = (className, rowID)
        (self.kind, self.fields) = (kind, fields)
    }
}

/// A field of an object that two stores have changed. `Sendable`: a value.
public struct FieldConflict: Hashable, Sendable {
    /// The name of the field.
    public let name: String
    /// What it was when this store read the object; `nil` if that is not known.
    public let base: FieldValue?
    /// What it is in this store.
    public let mine: FieldValue
    /// What the other store has saved.
    public let theirs: FieldValue

    /// Whether both have changed the field, to different values.
    public var isChangedByBoth: Bool { mine != base && theirs != base && mine != theirs }
}

extension ObjectConflict: CustomStringConvertible {
    public var description: String {
        let what =
            switch kind {
            case .changed: "changed here and by another store"
            case .deletedHere: "deleted here, and changed by another store"
            case .deletedElsewhere: "deleted by another store, and changed or referred to here"
            }
        let both = fields.filter(\.isChangedByBoth).map { "'\($0.name)'" }
        let fieldNames = both.isEmpty ? "" : " (both in \(both.joined(separator: ", ")))"
        return "\(className) \(rowID) was \(what)\(fieldNames)"
    }
}
