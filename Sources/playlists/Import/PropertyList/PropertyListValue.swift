/// A value of a property list.
///
/// Numbers, dates and data stay text until somebody asks: a strange value in a field that nobody
/// reads does no harm.
enum PropertyListValue: Hashable, Sendable {
    case string(String)
    case integer(String)
    case real(String)
    case boolean(Bool)
    case date(String)
    case data(String)
    case array([PropertyListValue])
    case dictionary([String: PropertyListValue])

    /// The kind, with its article, for messages.
    var kind: String {
        switch self {
        case .string: "a string"
        case .integer: "a whole number"
        case .real: "a real number"
        case .boolean: "true or false"
        case .date: "a date"
        case .data: "data"
        case .array: "an array"
        case .dictionary: "a dictionary"
        }
    }
}
