import Foundation

/// A part of a key, read without knowing the type of the value that was written.
///
/// `Sendable`: a value.
public enum OrderedKeyPart: Hashable, Sendable {
    /// `nil`.
    case none
    /// Says that an optional of an optional has a value; the next part is that value, or its `nil`.
    case present
    /// Any integer but one above `Int128.max`.
    case integer(Int128)
    /// An integer above `Int128.max`.
    case largeInteger(UInt128)
    /// A truth value.
    case bool(Bool)
    /// A `Double`, or a `Float` as one.
    case double(Double)
    /// A point in time.
    case date(Date)
    /// A universally unique identifier.
    case uuid(UUID)
    /// A base-ten number.
    case decimal(Decimal)
    /// Bytes of the `Data` type.
    case bytes(Data)
    /// A text under ``Collation/unicode`` or ``Collation/binary``.
    case text(String)
    /// What another collation made of a text, level by level; at least one level.
    case collated(levels: [Data])
}

extension OrderedKeyReader {
    /// Reads the next part, whatever its type.
    ///
    /// ```swift
    /// while reader.remaining > 0 { print(try reader.nextPart()) }
    /// ```
    /// - Throws: ``OrderedKeyError``. The position is then anywhere.
    public mutating func nextPart() throws(OrderedKeyError) -> OrderedKeyPart {
        switch try peekByte() {
        case KeyTag.absent:
            _ = try readByte()
            return .none
        case KeyTag.present:
            _ = try readByte()
            return .present
        case KeyTag.negative - 16...KeyTag.positive + 16:
            let (bits, isNegative) = try readInteger(type: "integer")
            return isNegative || bits <= Int128.max
                ? .integer(Int128(truncatingIfNeeded: bits)) : .largeInteger(bits)
        case KeyTag.falseValue, KeyTag.trueValue: return .bool(try read())
        case KeyTag.float: return .double(try read())
        case KeyTag.date: return .date(try read())
        case KeyTag.uuid: return .uuid(try read())
        case KeyTag.decimal: return .decimal(try read())
        case KeyTag.data: return .bytes(try read())
        case KeyTag.text: return .text(try read())
        case KeyTag.collated:
            _ = try readByte()
            return .collated(levels: try readLevels(type: "text").map { Data($0) })
        default: throw unexpectedTag(for: "part")
        }
    }
}

extension OrderedKeyPart: CustomStringConvertible {
    /// The value for people: texts in quotes, bytes as hexadecimal digits.
    public var description: String {
        switch self {
        case .none: "nil"
        case .present: "some"
        case .integer(let value): "\(value)"
        case .largeInteger(let value): "\(value)"
        case .bool(let value): "\(value)"
        case .double(let value): "\(value)"
        case .date(let value): value.text
        case .uuid(let value): "\(value)"
        case .decimal(let value): "\(value)"
        case .bytes(let value): OrderedKey(bytes: Array(value)).description
        case .text(let value): value.debugDescription
        case .collated(let levels):
            levels.map { level in
                String(validating: level, as: UTF8.self)?.debugDescription
                    ?? OrderedKey(bytes: Array(level)).description
            }.joined(separator: " ")
        }
    }
}
