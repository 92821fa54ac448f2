/// A value that is written as JSON, its members in the order given.
indirect enum JSONValue: Hashable, Sendable {
    case null
    case text(String)
    case number(UInt64)
    /// A number of any size, as JSON writes it.
    case digits(String)
    case truth(Bool)
    case list([JSONValue])
    case object([Member])

    struct Member: Hashable, Sendable {
        var name: String
        var value: JSONValue
    }

    /// An object without the members that are `nil`.
    static func members(_ members: (String, JSONValue?)...) -> JSONValue {
        .object(members.compactMap { name, value in value.map { Member(name: name, value: $0) } })
    }

    static func count(_ value: some BinaryInteger) -> JSONValue { .number(UInt64(clamping: value)) }

    /// On one line.
    var written: String {
        switch self {
        case .null: "null"
        case .text(let text): Self.quoted(text)
        case .number(let number): "\(number)"
        case .digits(let digits): digits
        case .truth(let truth): truth ? "true" : "false"
        case .list(let values): "[" + values.map(\.written).joined(separator: ",") + "]"
        case .object(let members):
            "{"
                + members.map { Self.quoted($0.name) + ":" + $0.value.written }
                .joined(separator: ",") + "}"
        }
    }

    private static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case _ where scalar.value < 0x20 || scalar.value == 0x7F:
                let digits = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}
