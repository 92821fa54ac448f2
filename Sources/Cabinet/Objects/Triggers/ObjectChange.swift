/// What a save is about to do to an object: what a trigger before it gets.
///
/// Not `Sendable`: it is of the store's isolation domain, and of use during the call alone.
public struct ObjectChange<Object: StoredObject> {
    /// What becomes of the object.
    public enum Kind: Hashable, Sendable {
        /// It is new.
        case inserted
        /// It has other values.
        case changed
        /// It is deleted: its values are those of ``ObjectChange/former``.
        case deleted
    }

    private let change: ChangedObject

    init(_ change: ChangedObject) { self.change = change }

    /// What becomes of the object.
    public var kind: Kind {
        !change.wasThere ? .inserted : change.isThere ? .changed : .deleted
    }

    /// What the object was: a copy, in no store, whose relationships lead to objects of the store. As saved
    /// last or, for a trigger that was called for the object already in this save, as it was then.
    ///
    /// `nil` for an inserted object, and if the saved record is damaged. Changing the copy has no effect.
    public var former: Object? { change.former as? Object }

    /// The names of the fields whose values differ from those of ``former``, in the order of their
    /// declarations; of an inserted or deleted object, of all fields. None of a class that writes its content
    /// itself.
    public var fieldNames: [String] { change.names }

    /// The same fields with both values.
    /// - Throws: ``StoreError/cannotRead(class:row:reason:)`` for a field of more values than
    ///   ``RecordDecoder/valueLimit``.
    public func fields() throws -> [FieldChange] { try change.values() }
}

/// The same without the class.
struct ChangedObject {
    let wasThere: Bool
    let isThere: Bool
    let former: StoredObject?
    let names: [String]
    let values: () throws -> [FieldChange]
}
