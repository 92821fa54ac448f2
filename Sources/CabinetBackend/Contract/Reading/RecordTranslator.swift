/// A value as databases of tables know it. `Sendable`: a value.
public enum PlainValue: Hashable, Sendable {
    /// NULL.
    case none
    /// A whole number.
    case integer(Int64)
    /// A floating-point number.
    case real(Double)
    /// Characters.
    case text(String)
    /// Bytes, a blob.
    case bytes([UInt8])
}

/// Says in plain values what records hold, for an engine in whose files other programs look: see
/// ``Backend/use(_:)``.
public protocol RecordTranslator: Sendable {
    /// The tables of records that can be taken apart, by what the catalog of `reader` says of them. `reader` answers
    /// for the catalog and the tables, not for records.
    func tables(of reader: any BackendReader) throws(BackendError) -> [any TranslatedTable]
}

/// A table of records that can be taken apart. Not `Sendable`: one thread at a time uses it.
public protocol TranslatedTable: AnyObject {
    /// The number of the table.
    var number: TableNumber { get }
    /// The name of the class.
    var name: String { get }
    /// The fields that records have, or had: the latest ones first. No two are the same.
    var fields: [TranslatedField] { get }
    /// The values of a record, one for each of ``fields``; `nil` if it cannot be read.
    func values(of record: UnsafeRawBufferPointer, at row: RowID) -> [PlainValue]?
}

/// A field of a table of records. `Sendable`: a value.
public struct TranslatedField: Hashable, Sendable {
    /// The name of the property.
    public var name: String
    /// Whether records of earlier layouts may have it, too.
    public var isInEarlierRecords: Bool

    /// A field with the given properties.
    public init(name: String, isInEarlierRecords: Bool) {
        self.name = name
        self.isInEarlierRecords = isInEarlierRecords
    }
}

extension PlainValue: ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByStringLiteral, ExpressibleByNilLiteral
{
    public init(integerLiteral value: Int64) { self = .integer(value) }
    public init(floatLiteral value: Double) { self = .real(value) }
    public init(stringLiteral value: String) { self = .text(value) }
    public init(nilLiteral: ()) { self = .none }
}
