/// One dictionary of a property list with its place, read field by field.
///
/// A field that is not there is `nil`; a field of the wrong kind is an error at the dictionary's
/// line.
struct PropertyListEntry {
    let fields: [String: PropertyListValue]
    /// What the dictionary is, for messages: `Track 1024`.
    let name: String
    /// The byte at which it begins.
    let offset: Int
    let source: ImportSource

    func string(_ key: String) throws(ImportError) -> String? {
        guard let value = fields[key] else { return nil }
        guard case .string(let text) = value else {
            throw wrongType(key, expected: "a string", found: value)
        }
        return text
    }

    /// A whole number within `range`.
    func integer(_ key: String, in range: ClosedRange<Int64>) throws(ImportError) -> Int64? {
        guard let value = fields[key] else { return nil }
        guard case .integer(let text) = value else {
            throw wrongType(key, expected: "a whole number", found: value)
        }
        guard let number = Int64(text), range.contains(number) else {
            let problem = ImportError.Problem.outOfRange(
                field: "\(name), \(key),", value: String(text.prefix(40)),
                allowed: "a whole number from \(range.lowerBound) to \(range.upperBound)")
            throw source.error(problem, at: offset)
        }
        return number
    }

    /// False if the field is not there.
    func flag(_ key: String) throws(ImportError) -> Bool {
        guard let value = fields[key] else { return false }
        guard case .boolean(let flag) = value else {
            throw wrongType(key, expected: "true or false", found: value)
        }
        return flag
    }

    /// The dictionaries of an array; empty if the field is not there.
    func entries(_ key: String) throws(ImportError) -> [PropertyListEntry] {
        guard let value = fields[key] else { return [] }
        guard case .array(let elements) = value else {
            throw wrongType(key, expected: "an array", found: value)
        }
        var entries: [PropertyListEntry] = []
        entries.reserveCapacity(elements.count)
        for (index, element) in elements.enumerated() {
            guard case .dictionary(let fields) = element else {
                throw wrongType("item \(index + 1)", expected: "a dictionary", found: element)
            }
            let itemName = "\(name), item \(index + 1)"
            entries.append(
                PropertyListEntry(fields: fields, name: itemName, offset: offset, source: source))
        }
        return entries
    }

    private func wrongType(
        _ key: String, expected: String, found: PropertyListValue
    ) -> ImportError {
        let problem = ImportError.Problem.wrongType(
            field: "\(name), \(key),", expected: expected, found: found.kind)
        return source.error(problem, at: offset)
    }
}
