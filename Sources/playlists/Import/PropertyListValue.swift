/// A value of a property list.
enum PropertyListValue: Hashable, Sendable {
    /// More levels of containers than this are refused; iTunes nests five.
    static let deepest = 32

    case string(String)
    /// As text, so that a strange number in a field that is not read does no harm.
    case integer(String)
    case boolean(Bool)
    case array([PropertyListValue])
    case dictionary([String: PropertyListValue])
    /// A value whose content is not kept: a real number, a date or data.
    case other(Kind)

    /// Kinds of values, by their names in messages.
    enum Kind: String, Sendable {
        case string = "a string"
        case integer = "a whole number"
        case boolean = "true or false"
        case array = "an array"
        case dictionary = "a dictionary"
        case real = "a real number"
        case date = "a date"
        case data

        /// The kind that the element `element` stands for, by Apple's `PropertyList-1.0.dtd`.
        init?(element: String) {
            switch element {
            case "string": self = .string
            case "integer": self = .integer
            case "true", "false": self = .boolean
            case "array": self = .array
            case "dict": self = .dictionary
            case "real": self = .real
            case "date": self = .date
            case "data": self = .data
            default: return nil
            }
        }
    }
}

extension PropertyListValue {
    /// The value of an element without elements in it; `nil` if `text` cannot stand there.
    init?(element: String, text: String) {
        switch (element, Kind(element: element)) {
        case ("true", _), ("false", _):
            guard text.isEmpty else { return nil }
            self = .boolean(element == "true")
        case (_, .string?): self = .string(text)
        case (_, .integer?): self = .integer(text)
        case (_, let kind?): self = .other(kind)
        default: return nil
        }
    }

    var kind: Kind {
        switch self {
        case .string: .string
        case .integer: .integer
        case .boolean: .boolean
        case .array: .array
        case .dictionary: .dictionary
        case .other(let kind): kind
        }
    }

    /// Puts `value` at the end of an array, or under `key` into a dictionary.
    ///
    /// The payload leaves the enum meanwhile: it would be copied otherwise.
    mutating func add(_ value: PropertyListValue, for key: String) {
        switch self {
        case .array(var elements):
            self = .boolean(false)
            elements.append(value)
            self = .array(elements)
        case .dictionary(var fields):
            self = .boolean(false)
            fields[key] = value
            self = .dictionary(fields)
        default: preconditionFailure("Only containers are open.")
        }
    }
}
