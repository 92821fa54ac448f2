import CabinetBackend
import Foundation

/// How to read a field's bytes without the class. The catalog keeps it as text, such as
/// `[String: Int32?]`.
indirect enum FieldType: Hashable, Sendable {
    /// A value that a buffer has calls for.
    case scalar(Scalar)
    /// One byte 0 or 1, then the value if there is one.
    case optional(FieldType)
    /// A count, then the elements.
    case array(FieldType)
    /// As an array.
    case set(FieldType)
    /// A count, then keys and values in turn.
    case dictionary(FieldType, FieldType)
    /// The compact form of a `Codable` type of that name, behind its byte count.
    case compact(String)
    /// What a `BufferValue` of that name makes of itself, behind its byte count.
    case custom(String)
    /// A reference to an object of the class of that storage name, or of a subclass.
    case one(String)
    /// References to such objects.
    case many(String)

    /// Whether it is the compact form, or an optional one.
    var isCompact: Bool {
        switch self {
        case .compact: true
        case .optional(let wrapped): wrapped.isCompact
        default: false
        }
    }

    enum Scalar: String, CaseIterable, Sendable {
        case uint8 = "UInt8"
        case uint16 = "UInt16"
        case uint32 = "UInt32"
        case uint64 = "UInt64"
        case uint128 = "UInt128"
        case uint = "UInt"
        case int8 = "Int8"
        case int16 = "Int16"
        case int32 = "Int32"
        case int64 = "Int64"
        case int128 = "Int128"
        case int = "Int"
        case bool = "Bool"
        case float = "Float"
        case double = "Double"
        case string = "String"
        case data = "Data"
        case date = "Date"
        case uuid = "UUID"
        case url = "URL"
        case decimal = "Decimal"
    }

    /// Whether values may hold references: relationships do, and a `BufferValue` may write some.
    var mayRefer: Bool {
        switch self {
        case .scalar, .compact: false
        case .custom, .one, .many: true
        case .optional(let part), .array(let part), .set(let part): part.mayRefer
        case .dictionary(let key, let value): key.mayRefer || value.mayRefer
        }
    }

    /// The form of a type that a buffer knows by itself; `nil` for all others.
    init?(_ type: Any.Type) {
        if let scalar = Self.scalars[ObjectIdentifier(type)] {
            self = .scalar(scalar)
        } else if let form = (type as? any ComposedType.Type)?.fieldType {
            self = form
        } else {
            return nil
        }
    }

    private static let scalars: [ObjectIdentifier: Scalar] = Dictionary(
        uniqueKeysWithValues: Scalar.allCases.map { (ObjectIdentifier($0.valueType), $0) })
}

extension FieldType.Scalar {
    var valueType: any BufferValue.Type { keyType ?? URL.self }

    /// The same, if keys can be made of the values; `nil` if not.
    var keyType: (any (BufferValue & OrderedKeyValue & Sendable).Type)? {
        switch self {
        case .uint8: UInt8.self
        case .uint16: UInt16.self
        case .uint32: UInt32.self
        case .uint64: UInt64.self
        case .uint128: UInt128.self
        case .uint: UInt.self
        case .int8: Int8.self
        case .int16: Int16.self
        case .int32: Int32.self
        case .int64: Int64.self
        case .int128: Int128.self
        case .int: Int.self
        case .bool: Bool.self
        case .float: Float.self
        case .double: Double.self
        case .string: String.self
        case .data: Data.self
        case .date: Date.self
        case .uuid: UUID.self
        case .decimal: Decimal.self
        case .url: nil
        }
    }
}

/// A type whose form follows from those of its parts.
private protocol ComposedType {
    static var fieldType: FieldType? { get }
}

extension Optional: ComposedType {
    fileprivate static var fieldType: FieldType? {
        FieldType(Wrapped.self).map { .optional($0) }
    }
}

extension Array: ComposedType {
    fileprivate static var fieldType: FieldType? { FieldType(Element.self).map { .array($0) } }
}

extension Set: ComposedType {
    fileprivate static var fieldType: FieldType? { FieldType(Element.self).map { .set($0) } }
}

extension Dictionary: ComposedType {
    fileprivate static var fieldType: FieldType? {
        guard let key = FieldType(Key.self), let value = FieldType(Value.self) else { return nil }
        return .dictionary(key, value)
    }
}
