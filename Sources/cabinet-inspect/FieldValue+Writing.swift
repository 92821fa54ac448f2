import Cabinet
import Foundation

extension FieldValue {
    /// The value as JSON.
    ///
    /// Integers of 64 bits and `Decimal`s are numbers, larger ones text; so is what is no number
    /// (`"NaN"`, `"Infinity"`). Bytes are hexadecimal text. Dates are ISO 8601 in UTC or, outside
    /// the years 1583 to 9999, seconds since 2001. A dictionary whose keys are texts is an object,
    /// any other a list of keys and values.
    var json: JSONValue {
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
        case .bytes(let value): .text(Self.hex(value))
        case .date(let value): Self.json(of: value)
        case .uuid(let value): .text(value.uuidString)
        case .url(let value): .text(value.absoluteString)
        case .decimal(let value): value.isNaN ? .text("NaN") : .digits("\(value)")
        case .list(let values): .list(values.map(\.json))
        case .dictionary(let entries): Self.json(of: entries)
        case .propertyList(_, let value): value.json
        case .custom(let type, let bytes):
            .members(("custom", .text(type)), ("hex", .text(Self.hex(bytes))))
        case .reference(let reference): reference.json
        case .references(let references): .list(references.map(\.json))
        }
    }

    /// The value for a reader, on one line.
    var line: String {
        switch self {
        case .reference(let reference): reference.line
        case .references(let references):
            "[" + references.map(\.line).joined(separator: ", ") + "]"
        case .custom(let type, let bytes): "\(type) \(Self.hex(bytes))"
        case .none: "none"
        default: json.written
        }
    }

    private static func number(
        _ text: String, _ isFinite: Bool, _ isNaN: Bool, _ isNegative: Bool
    ) -> JSONValue {
        if isFinite { return .digits(text) }
        return .text(isNaN ? "NaN" : isNegative ? "-Infinity" : "Infinity")
    }

    /// The seconds since 2001 at which the years 1583, the first whole one of the calendar, and
    /// 10,000 begin.
    private static let namedYears = -13_190_860_800.0..<252_423_993_600.0

    private static func json(of date: Date) -> JSONValue {
        let seconds = date.timeIntervalSinceReferenceDate
        guard namedYears.contains(seconds) else {
            return FieldValue.double(seconds).json
        }
        let style = Date.ISO8601FormatStyle(
            includingFractionalSeconds: seconds != seconds.rounded(.down))
        return .text(date.formatted(style))
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
        return .object(members.sorted { $0.name < $1.name })
    }

    private static func hex(_ data: Data) -> String { data.withUnsafeBytes { Program.hex($0) } }
}

extension FieldValue.Reference {
    var json: JSONValue {
        .members(
            ("class", className.map { .text($0) }),
            ("classNumber", className == nil ? classNumber.map { .count($0) } : nil),
            ("row", .count(row)))
    }

    /// The class and the row.
    var line: String {
        let name = className ?? classNumber.map { "class \($0)" } ?? "unknown class"
        return "\(name) \(row)"
    }
}
