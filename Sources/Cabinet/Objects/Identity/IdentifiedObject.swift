import CabinetBackend

/// Gives every ``StoredObject`` its `id` and `objectID`. Made for that class alone.
///
/// These are members of the protocol and not of the class, so a subclass may declare a field with
/// the name `id` or `objectID` of its own.
public protocol IdentifiedObject: AnyObject, Hashable, Identifiable {}

extension StoredObject: IdentifiedObject {
    /// Whether both are the same instance. Content does not count. In a store one row has one
    /// instance, so this also compares saved objects.
    public static func == (one: StoredObject, other: StoredObject) -> Bool { one === other }

    /// Hashes the instance, not its content: an object in a set may change.
    public final func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(self))
    }

    /// Tells objects of this run of the program apart; for lists on a screen. See
    /// ``IdentifiedObject/id``.
    ///
    /// `Codable`, so that predicates may compare with it. What is decoded in another run of the program is
    /// the `id` of no object.
    public struct ID: Hashable, Sendable, Codable {
        enum Source: Hashable, Sendable, Codable {
            /// The store, the table and the row.
            case row(UInt64, TableNumber, RowID)
            /// A number that this program gave to an object outside a store.
            case own(UInt64)
        }
        let source: Source
    }
}

extension IdentifiedObject where Self: StoredObject {
    /// Tells the object from every other one while the program runs.
    ///
    /// If it is first asked for in a store, before or after the first save, it stands for store,
    /// table and row: the same for each instance that the row ever has. If it is first asked for
    /// before the object is in a store, it is a number of this instance alone, which stays with it
    /// when it is inserted and saved, and equals no `id` of a stored object. So it does not change
    /// while a screen shows the object. It changes only for an object that was first asked in its
    /// store and leaves it (by `rollback()` of its insert, or because the store closes).
    ///
    /// Use ``objectID`` to find an object again, and for what outlives the program.
    public var id: StoredObject.ID {
        let object: StoredObject = self
        if !object.state.contains(.numbered), let storedClass = object.storedClass {
            return .init(
                source: .row(storedClass.context.sessionNumber, storedClass.table, object.rowID))
        }
        return .init(source: .own(OwnNumbers.number(of: object)))
    }

    /// Names the object for good: `nil` before its first save, after a save of its delete, outside
    /// a store, and in a directory of BNRPersistence (2010) until its first save.
    ///
    /// While a delete is pending, the record is still there, and so is the ID. Does not read the
    /// content. An object whose delete is undone after a save gets the same ID again when it is
    /// saved.
    public var objectID: ObjectID<Self>? {
        let object: StoredObject = self
        object.noteStandingRead()
        guard object.state.contains(.saved), let storedClass = object.storedClass else {
            return nil
        }
        let store = storedClass.context.storeNumber
        return store == 0
            ? nil : ObjectID(store: store, table: storedClass.table, rowID: object.rowID)
    }
}
