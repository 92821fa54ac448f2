/// A dictionary of a property list, read field by field.
///
/// A field that is not there is `nil`; a field of the wrong kind is an error.
struct PropertyListEntry {
    let fields: [String: PropertyListValue]
    /// What the dictionary is, for messages: `Track 1024`.
    let name: String

    /// - Parameter value: a dictionary.
    init(_ value: PropertyListValue, name: String) {
        if case .dictionary(let fields) = value { self.fields = fields } else { fields = [:] }
        self.name = name
    }

    func string(_ key: String) throws(ImportError.Problem) -> String? {
        guard let value = fields[key] else { return nil }
        guard case .string(let text) = value else { throw wrongType(key, .string, value) }
        return text
    }

    /// A whole number within `range`.
    func integer(_ key: String, in range: ClosedRange<Int64>) throws(ImportError.Problem) -> Int64?
    {
        guard let value = fields[key] else { return nil }
        guard case .integer(let text) = value else { throw wrongType(key, .integer, value) }
        guard let number = Int64(text), range.contains(number) else {
            throw .outOfRange(
                field: "\(name), \(key),", value: String(text.prefix(40)),
                allowed: "a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    /// False if the field is not there.
    func flag(_ key: String) throws(ImportError.Problem) -> Bool {
        guard let value = fields[key] else { return false }
        guard case .boolean(let flag) = value else { throw wrongType(key, .boolean, value) }
        return flag
    }

    private func wrongType(
        _ key: String, _ expected: PropertyListValue.Kind, _ found: PropertyListValue
    ) -> ImportError.Problem {
        .wrongType(
            field: "\(name), \(key),", expected: expected.rawValue, found: found.kind.rawValue)
    }
}
