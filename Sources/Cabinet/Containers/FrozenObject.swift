import CabinetBackend

/// What an object's declared fields were when it was asked: a value that may leave the object's
/// isolation domain. `Sendable`: a value.
public struct FrozenObject: Hashable, Sendable {
    /// The storage name of the object's class.
    public let className: String
    /// The row of the object; 0 if it is in no store.
    public let rowID: RowID
    /// The declared fields with their values, inherited ones first. Empty of a class that writes
    /// its content itself.
    public let fields: [DecodedField]

    /// The value of the field called `name`; `nil` if there is none.
    public subscript(name: String) -> FieldValue? { fields.first { $0.name == name }?.value }
}

extension StoredObject {
    /// The object's declared fields as a value, pending changes included. Reads a fault.
    ///
    /// - Throws: ``StoreError/notInStore(class:)``, why the object cannot be read, or
    ///   ``StoreError/cannotRead(class:row:reason:)`` for a field of more values than
    ///   ``RecordDecoder/valueLimit``.
    public final func frozen() throws -> FrozenObject {
        guard let storedClass, let store = storedClass.context as? Store else {
            throw StoreError.notInStore(class: "\(type(of: self))")
        }
        store.reconcileEdits()
        try store.load(self)
        return FrozenObject(
            className: storedClass.name, rowID: rowID,
            fields: !storedClass.isDeclared
                ? []
                : try storedClass.fields.entries.map {
                    DecodedField(name: $0.name, value: try store.value(of: $0, in: self))
                })
    }
}
