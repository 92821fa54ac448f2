import CabinetBackend
import Foundation

extension FieldValue {
    /// The value as JSON.
    ///
    /// Integers of 64 bits and `Decimal`s are numbers, larger ones text; so is what is no number
    /// (`"NaN"`, `"Infinity"`). Bytes are hexadecimal text. Dates are ISO 8601 in UTC or, outside
    /// the years 1583 to 9999, seconds since 2001. A dictionary whose keys are texts is an object,
    /// any other a list of keys and values.
    package var json: JSONValue {
        switch self {
        case .none: .null
        case .bool(let value): .truth(value)
        case .integer(let value):
            Int64(exactly: value) != nil || UInt64(exactly: value) != nil
                ? .digits("\(value)") : .text("\(value)")
        case .largeInteger(let value): .text("\(value)")
        case .float(let value): Self.number("\(value)", value.isFinite, value.isNaN, value < 0)
        case .double(let value): Self.number("\(value)", value.isFinite, value.isNaN, value < 0)
        case .text(let value): .text(value)
        case .bytes(let value): .text(JSONBytes.text(of: value))
        case .date(let value): JSONDate.json(of: value)
        case .uuid(let value): .text(value.uuidString)
        case .url(let value): .text(value.absoluteString)
        case .decimal(let value): value.isNaN ? .text("NaN") : .digits("\(value)")
        case .list(let values): .list(values.map(\.json))
        case .dictionary(let entries): Self.json(of: entries)
        case .codable(_, let value): value.json
        case .custom(let type, let bytes):
            .members(("custom", .text(type)), ("hex", .text(JSONBytes.text(of: bytes))))
        case .reference(let reference): reference.json
        case .references(let references): .list(references.map(\.json))
        }
    }

    private static func number(
        _ text: String, _ isFinite: Bool, _ isNaN: Bool, _ isNegative: Bool
    ) -> JSONValue {
        if isFinite { return .digits(text) }
        return .text(isNaN ? "NaN" : isNegative ? "-Infinity" : "Infinity")
    }

    private static func json(of entries: [Entry]) -> JSONValue {
        var members: [JSONValue.Member] = []
        for entry in entries {
            guard case .text(let name) = entry.key else {
                return .list(
                    entries.map { .members(("key", $0.key.json), ("value", $0.value.json)) })
            }
            members.append(JSONValue.Member(name: name, value: entry.value.json))
        }
        return .object(members.inOrder { $0.name < $1.name })
    }
}

extension FieldValue.Reference {
    /// The class, or its number where the store has no such class, and the row.
    package var json: JSONValue {
        .members(
            ("class", className.map { .text($0) }),
            ("classNumber", className == nil ? classNumber.map { .count($0) } : nil),
            ("row", .count(row.rawValue)))
    }
}
