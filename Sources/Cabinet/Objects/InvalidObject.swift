import CabinetBackend

/// One object that a save refused, because its ``StoredObject/validate()`` threw.
///
/// `Sendable`, so it does not hold the object: ``object(in:)`` finds it.
public struct InvalidObject: Error, Sendable {
    /// The storage name of the object's class.
    public let className: String
    /// The object's row. A new object has one from its insert on.
    public let rowID: RowID
    /// What `validate()` threw.
    public let error: any Error
}

extension InvalidObject: Hashable {
    /// Whether both are the same object with errors of the same text.
    public static func == (one: InvalidObject, other: InvalidObject) -> Bool {
        one.rowID == other.rowID && one.className == other.className
            && one.description == other.description
    }

    /// Hashes class and row.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(className)
        hasher.combine(rowID)
    }
}

extension InvalidObject: CustomStringConvertible {
    /// Class, row and the error's text.
    public var description: String { "\(className) \(rowID) is invalid: \(error)" }
}
