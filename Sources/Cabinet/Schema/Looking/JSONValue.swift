/// A JSON value, its members in the order in which they stand.
package indirect enum JSONValue: Hashable, Sendable {
    case null
    case text(String)
    case number(UInt64)
    /// A number of any size, as JSON writes it.
    case digits(String)
    case truth(Bool)
    case list([JSONValue])
    case object([Member])
    /// JSON on one line, which is written as it is.
    case verbatim(String)

    package struct Member: Hashable, Sendable {
        package var name: String
        package var value: JSONValue

        package init(name: String, value: JSONValue) {
            self.name = name
            self.value = value
        }
    }

    /// Of how many values it is made, itself among them, as a reader counts them.
    package var valueCount: Int {
        switch self {
        case .list(let values): values.reduce(1) { $0 + $1.valueCount }
        case .object(let members): members.reduce(1) { $0 + $1.value.valueCount }
        case .null, .text, .number, .digits, .truth: 1
        case .verbatim(let text): Self.mostValues(in: text)
        }
    }

    /// Of how many values a JSON text is made, if nothing in it is empty.
    private static func mostValues(in text: String) -> Int {
        var (count, isText, isEscaped) = (1, false, false)
        for byte in text.utf8 {
            if isEscaped {
                isEscaped = false
            } else if byte == UInt8(ascii: "\"") {
                isText.toggle()
            } else if isText {
                isEscaped = byte == UInt8(ascii: "\\")
            } else if byte == UInt8(ascii: ",") || byte == UInt8(ascii: "[")
                || byte == UInt8(ascii: "{")
            {
                count += 1
            }
        }
        return count
    }

    /// An object without the members that are `nil`.
    package static func members(_ members: (String, JSONValue?)...) -> JSONValue {
        .object(members.compactMap { name, value in value.map { Member(name: name, value: $0) } })
    }

    package static func count(_ value: some BinaryInteger) -> JSONValue {
        .number(UInt64(clamping: value))
    }

    /// The first member of that name, if the value is an object that has one.
    package subscript(name: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.name == name }?.value
    }

    /// On one line.
    package var written: String {
        switch self {
        case .null: "null"
        case .text(let text): Self.quoted(text)
        case .number(let number): "\(number)"
        case .digits(let digits), .verbatim(let digits): digits
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
