import CabinetBackend
import Foundation

/// Why a value of a document is none of a field.
struct Unfitting: Error {
    let reason: String
}

extension FieldType {
    /// Appends `json` as a value of this form: what ``FieldReader`` and ``FieldValue/json`` make
    /// JSON of, the other way round. Neither `Codable` values nor relationships.
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
            for value in values { try element.write(value, to: buffer) }
        case .dictionary(let key, let value):
            let entries = try entries(of: json)
            guard buffer.writeCount(entries.count) else { return }
            for entry in entries {
                try key.write(entry.key, to: buffer)
                try value.write(entry.value, to: buffer)
            }
        case .custom:
            guard case .text(let digits)? = json["hex"], let bytes = JSONBytes.bytes(of: digits)
            else {
                throw unfitting(json)
            }
            buffer.writeData(bytes)
        case .coded, .compact, .one, .many:
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
        case .url: buffer.writeURL(try value(json, text(json)) { URL(string: $0) })
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
            if let value = Value(digits) { return value }
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
        guard case .digits(let digits) = json, let value = Decimal(string: digits) else {
            throw .value(json, rawValue)
        }
        return value
    }
}
