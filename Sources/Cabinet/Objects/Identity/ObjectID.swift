import CabinetBackend

/// Names one saved object, in this run of the program and in later ones: its store, its table and
/// its row.
///
/// ```swift
/// if let id = song.objectID { UserDefaults.standard.set(id.description, forKey: "last") }
/// let last = try ObjectID<Song>(text).flatMap { try store.object($0) }
/// ```
///
/// Unlike the object it is `Sendable` and `Codable`. No other object ever gets an equal one: tables
/// and rows are not used twice. A store that was moved and a backup keep the IDs of the original.
/// A store that was made by salvage, or by an import, has IDs of its own.
public struct ObjectID<Object: StoredObject>: Hashable, Sendable {
    /// The number of the store: `Backend.identity`.
    public let store: UInt64
    /// The table of the object's class. It stays when the class is renamed.
    public let table: TableNumber
    /// The row of the object's record.
    public let rowID: RowID

    init(store: UInt64, table: TableNumber, rowID: RowID) {
        self.store = store
        self.table = table
        self.rowID = rowID
    }

    /// The same object, seen as one of a superclass or subclass. A wrong class is found by
    /// `store.object(_:)`, which throws ``StoreError/wrongClass(expected:found:)``.
    public init<Other: StoredObject>(_ other: ObjectID<Other>) {
        self.init(store: other.store, table: other.table, rowID: other.rowID)
    }
}

extension ObjectID: LosslessStringConvertible {
    /// 28 hexadecimal digits: 16 of the store, 4 of the table, 8 of the row.
    public var description: String {
        Self.digits(store) + Self.digits(table.rawValue) + Self.digits(rowID.rawValue)
    }

    /// The ID that ``description`` gave; `nil` for any other text.
    public init?(_ description: String) {
        let digits = Array(description.utf8)
        guard digits.count == 28, let store = Self.number(digits[..<16], UInt64.self),
            let table = Self.number(digits[16..<20], UInt16.self),
            let rowID = Self.number(digits[20...], UInt32.self)
        else { return nil }
        self.init(store: store, table: TableNumber(table), rowID: RowID(rowID))
    }

    private static func digits<Number: FixedWidthInteger>(_ number: Number) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: Number.bitWidth / 4 - digits.utf8.count) + digits
    }

    /// No sign, and lower case only: one text for each ID.
    private static func number<Number: FixedWidthInteger>(
        _ digits: ArraySlice<UInt8>, _ type: Number.Type
    ) -> Number? {
        var number: Number = 0
        for digit in digits {
            switch digit {
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                number = number << 4 | Number(digit - UInt8(ascii: "0"))
            case UInt8(ascii: "a")...UInt8(ascii: "f"):
                number = number << 4 | Number(digit - UInt8(ascii: "a") + 10)
            default: return nil
            }
        }
        return number
    }
}

extension ObjectID: Codable {
    /// Reads the text that ``encode(to:)`` wrote.
    /// - Throws: `DecodingError.dataCorrupted` for any other text, or what `decoder` throws.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let id = Self(text) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "'\(text)' is no ID of an object.")
        }
        self = id
    }

    /// Writes ``description``, one text: JSON's numbers do not hold 64 bits everywhere.
    /// - Throws: what `encoder` throws.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
