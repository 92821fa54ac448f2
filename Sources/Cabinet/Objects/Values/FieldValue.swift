import CabinetBackend
import Foundation

/// A field's value, read from its bytes by the field's form alone, without the class.
///
/// `Sendable`: a value.
public indirect enum FieldValue: Hashable, Sendable {
    /// No value where there might be one, or a reference to nothing.
    case none
    /// A truth value.
    case bool(Bool)
    /// Any integer but one above `Int128.max`.
    case integer(Int128)
    /// An integer above `Int128.max`.
    case largeInteger(UInt128)
    /// A 32-bit floating-point number.
    case float(Float)
    /// A 64-bit floating-point number.
    case double(Double)
    /// A string.
    case text(String)
    /// Bytes of the `Data` type.
    case bytes(Data)
    /// A point in time.
    case date(Date)
    /// A universally unique identifier.
    case uuid(UUID)
    /// A resource locator.
    case url(URL)
    /// A base-ten number.
    case decimal(Decimal)
    /// An array in its order, or a set, sorted.
    case list([FieldValue])
    /// A dictionary, sorted by its keys.
    case dictionary([Entry])
    /// A value of the `Codable` type of that name, as it encoded itself: keyed containers are
    /// dictionaries of texts, unkeyed ones lists.
    case codable(type: String, FieldValue)
    /// A value of the type of that name in that type's own form, which only it can read.
    case custom(type: String, Data)
    /// A relationship to one object.
    case reference(Reference)
    /// A relationship to many, in order.
    case references([Reference])

    /// A key of a dictionary and its value. `Sendable`: a value.
    public struct Entry: Hashable, Sendable {
        /// The key.
        public let key: FieldValue
        /// The value under the key.
        public let value: FieldValue
    }

    /// An object that is referred to. `Sendable`: a value.
    public struct Reference: Hashable, Sendable {
        /// The storage name of its class; `nil` if the store has none of that number.
        public let className: String?
        /// The number of its class; `nil` if nothing says which class it is.
        public let classNumber: UInt8?
        /// The row of the object in the table of its class.
        public let row: RowID

        /// A reference with the given properties; nothing is looked up.
        public init(className: String?, classNumber: UInt8?, row: RowID) {
            self.className = className
            self.classNumber = classNumber
            self.row = row
        }
    }
}

/// A field of a record with its value. `Sendable`: a value.
public struct DecodedField: Hashable, Sendable {
    /// The name of the property, as the class declares it.
    public let name: String
    /// The value.
    public let value: FieldValue
}

/// A record, taken apart. `Sendable`: a value.
public struct DecodedRecord: Hashable, Sendable {
    /// The number of its layout; `nil` if its class has none.
    public let layout: UInt16?
    /// The class version that was in force when it was written; `nil` if nothing says which.
    public let version: UInt8?
    /// Its fields in their order; `nil` if the class wrote it by hand, so that only the class can
    /// read it.
    public let fields: [DecodedField]?
    /// How many bytes follow behind the last field.
    public let surplusBytes: Int
}
