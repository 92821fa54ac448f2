import CabinetBackend
import Foundation

/// Why a value of a document is none of a field.
struct Unfitting: Error {
    /// Where the value is within that of the field: `[2]["key"]`; empty for the whole.
    private(set) var path = ""
    let reason: String

    func within(_ step: String) -> Unfitting {
        var outer = self
        outer.path = "[\(step)]\(path)"
        return outer
    }
}

extension FieldType {
    /// Appends `json` as a value of this form: the reverse of ``FieldValue/json``. No `Codable`
    /// values or references.
    func write(_ json: JSONValue, to buffer: DataBuffer) throws(Unfitting) {
        switch self {
        case .scalar(let scalar):
            try scalar.write(json, to: buffer)
        case .optional(let wrapped):
            buffer.writeBool(json != .null)
            if json != .null { try wrapped.write(json, to: buffer) }
        case .array(let element), .set(let element):
            guard case .list(let values) = json else { throw unfitting(json) }
            guard buffer.writeCount(values.count) else { return }
            for (index, value) in values.enumerated() {
                do throws(Unfitting) { try element.write(value, to: buffer) } catch {
                    throw error.within("\(index)")
                }
            }
            if case .set = self { try refuseRepeated(values, of: element) }
        case .dictionary(let key, let value):
            let entries = try entries(of: json)
            guard buffer.writeCount(entries.count) else { return }
            for entry in entries {
                do throws(Unfitting) {
                    try key.write(entry.key, to: buffer)
                    try value.write(entry.value, to: buffer)
                } catch { throw error.within(entry.key.written) }
            }
            try refuseRepeated(entries.map(\.key), of: key)
        case .custom:
            guard case .text(let digits)? = json["hex"], let bytes = JSONBytes.bytes(of: digits)
            else {
                throw unfitting(json)
            }
            buffer.writeData(bytes)
        case .compact, .one, .many:
            throw unfitting(json)
        }
    }

    private func entries(of json: JSONValue) throws(Unfitting) -> [(
        key: JSONValue, value: JSONValue
    )] {
        switch json {
        case .object(let members): return members.map { (.text($0.name), $0.value) }
        case .list(let values):
            var entries: [(key: JSONValue, value: JSONValue)] = []
            for entry in values {
                guard let key = entry["key"], let value = entry["value"] else {
                    throw unfitting(json)
                }
                entries.append((key, value))
            }
            return entries
        default: throw unfitting(json)
        }
    }

    /// A set or the keys of a dictionary would lose what comes twice. NaN does not equal itself, and may.
    private func refuseRepeated(
        _ values: [JSONValue], of type: FieldType
    ) throws(Unfitting) {
        var seen: Set<JSONValue> = []
        for value in values where !seen.insert(value).inserted {
            if type.hasNaN, value == .text("NaN") { continue }
            throw Unfitting(reason: "\(value.written) comes twice")
        }
    }

    private var hasNaN: Bool {
        switch self {
        case .scalar(.double), .scalar(.float), .scalar(.date): true
        case .optional(let wrapped): wrapped.hasNaN
        default: false
        }
    }

    private func unfitting(_ json: JSONValue) -> Unfitting { Unfitting.value(json, "\(self)") }
}

extension Unfitting {
    /// `json` is no value of a type of that name.
    static func value(_ json: JSONValue, _ type: String) -> Unfitting {
        let text = json.written
        return Unfitting(
            reason: "\(text.count > 60 ? "\(text.prefix(60))…" : text) is no value of type \(type)")
    }
}

extension FieldType.Scalar {
    fileprivate func write(_ json: JSONValue, to buffer: DataBuffer) throws(Unfitting) {
        switch self {
        case .uint8: buffer.writeUInt8(try integer(json))
        case .uint16: buffer.writeUInt16(try integer(json))
        case .uint32: buffer.writeUInt32(try integer(json))
        case .uint64, .uint: buffer.writeUInt64(try integer(json))
        case .uint128: buffer.writeUInt128(try integer(json))
        case .int8: buffer.writeInt8(try integer(json))
        case .int16: buffer.writeInt16(try integer(json))
        case .int32: buffer.writeInt32(try integer(json))
        case .int64, .int: buffer.writeInt64(try integer(json))
        case .int128: buffer.writeInt128(try integer(json))
        case .bool: buffer.writeBool(try truth(json))
        case .float: buffer.writeFloat(try number(json))
        case .double: buffer.writeDouble(try number(json))
        case .string: buffer.writeString(try text(json))
        case .data: buffer.writeData(try value(json, text(json), JSONBytes.bytes))
        case .date: buffer.writeDate(try date(json))
        case .uuid: buffer.writeUUID(try value(json, text(json)) { UUID(uuidString: $0) })
        case .url: buffer.writeURL(try value(json, text(json), Self.url))
        case .decimal: buffer.writeDecimal(try decimal(json))
        }
    }

    private func value<Value>(
        _ json: JSONValue, _ text: String, _ make: (String) -> Value?
    ) throws(Unfitting) -> Value {
        guard let value = make(text) else { throw .value(json, rawValue) }
        return value
    }

    /// A whole number, as a number or, where it is large, as text.
    private func integer<Value: FixedWidthInteger>(_ json: JSONValue) throws(Unfitting) -> Value {
        switch json {
        case .digits(let digits), .text(let digits):
            // Each type that reads digits itself would be compiled with the code for that.
            let value =
                Value.isSigned
                ? Int128(digits).flatMap { Value(exactly: $0) }
                : UInt128(digits).flatMap { Value(exactly: $0) }
            if let value { return value }
        default: break
        }
        throw .value(json, rawValue)
    }

    private func number<Value: LosslessStringConvertible & BinaryFloatingPoint>(
        _ json: JSONValue
    ) throws(Unfitting) -> Value {
        switch json {
        case .digits(let digits):
            if let value = Value(digits), value.isFinite { return value }
        case .text("NaN"): return .nan
        case .text("Infinity"): return .infinity
        case .text("-Infinity"): return -.infinity
        default: break
        }
        throw .value(json, rawValue)
    }

    private func truth(_ json: JSONValue) throws(Unfitting) -> Bool {
        guard case .truth(let value) = json else { throw .value(json, rawValue) }
        return value
    }

    private func text(_ json: JSONValue) throws(Unfitting) -> String {
        guard case .text(let value) = json else { throw .value(json, rawValue) }
        return value
    }

    private func date(_ json: JSONValue) throws(Unfitting) -> Date {
        if case .text(let text) = json, let date = JSONDate.date(of: text) { return date }
        return Date(timeIntervalSinceReferenceDate: try number(json))
    }

    private func decimal(_ json: JSONValue) throws(Unfitting) -> Decimal {
        if json == .text("NaN") { return .nan }
        guard case .digits(let digits) = json, let value = Decimal(string: digits),
            let wanted = DecimalText(digits), DecimalText("\(value)") == wanted
        else {
            throw .value(json, rawValue)
        }
        return value
    }

    /// Foundation makes a URL of other texts, too, and changes them.
    private static func url(_ text: String) -> URL? {
        URL(string: text).flatMap { $0.absoluteString == text ? $0 : nil }
    }
}

/// A number without what makes no difference: a `Decimal` has 38 digits, and rounds others.
private struct DecimalText: Equatable {
    private let isNegative: Bool
    /// Without zeros at either end.
    private let digits: [UInt8]
    /// That of the last digit.
    private let exponent: Int

    init?(_ text: String) {
        let parts = text.split(omittingEmptySubsequences: false) { $0 == "e" || $0 == "E" }
        guard let first = parts.first, parts.count <= 2,
            var exponent = parts.count == 2 ? Int(parts[1]) : 0
        else { return nil }
        let point = first.utf8.firstIndex(of: UInt8(ascii: "."))
        let behind = point.map { first.utf8.distance(from: $0, to: first.utf8.endIndex) - 1 } ?? 0
        guard !exponent.subtractingReportingOverflow(behind).overflow else { return nil }
        exponent -= behind
        var digits = first.utf8.filter { 0x30...0x39 ~= $0 }
        guard !digits.isEmpty else { return nil }
        let zeros = digits.reversed().prefix { $0 == 0x30 }.count
        digits.removeLast(zeros)
        digits.removeFirst(digits.prefix { $0 == 0x30 }.count)
        self.digits = digits
        self.exponent = digits.isEmpty ? 0 : exponent + zeros
        isNegative = !digits.isEmpty && first.hasPrefix("-")
    }
}
