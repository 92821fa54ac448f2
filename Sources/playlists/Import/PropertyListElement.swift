/// An element of a property list: a value, or a container with the values in it.
struct PropertyListElement {
    /// As in the file: `string`, `dict`.
    let name: String
    /// Of a container: the keys, and the positions in arrays from 1, that lead to it.
    let path: [String]
    /// Where it begins in the file, from 1.
    let line: Int
    var text = ""
    /// What stands in a container, by key or by position. Containers in it are without content.
    var values: [String: (element: String, text: String)] = [:]
    /// Of a dictionary: the key that still lacks its value.
    var key: String?

    var isContainer: Bool { name == "dict" || name == "array" }

    /// Adds the value that ends now.
    mutating func add(_ value: PropertyListElement) {
        values[key ?? "\(values.count + 1)"] = (value.name, value.isContainer ? "" : value.text)
        key = nil
    }
}

// Fields of a dictionary: one that is not there is empty, one of another element is an error.
extension PropertyListElement {
    func string(_ key: String) throws(ImportError.Problem) -> String {
        try check(key, is: "string")
        return values[key]?.text ?? ""
    }

    /// A whole number within `range`.
    func integer(_ key: String, in range: ClosedRange<Int64>) throws(ImportError.Problem) -> Int64?
    {
        try check(key, is: "integer")
        guard let text = values[key]?.text else { return nil }
        guard let number = Int64(text), range.contains(number) else {
            throw .outOfRange(field: field(key), value: text, range: range)
        }
        return number
    }

    func flag(_ key: String) throws(ImportError.Problem) -> Bool {
        if values[key]?.element != "false" { try check(key, is: "true") }
        return values[key]?.element == "true"
    }

    /// - Throws: ``ImportError/Problem/wrongType(field:expected:found:)`` if there is a value for
    ///   `key` in another element.
    func check(_ key: String, is element: String) throws(ImportError.Problem) {
        guard let found = values[key]?.element, found != element else { return }
        throw .wrongType(field: field(key), expected: element, found: found)
    }

    private func field(_ key: String) -> String { (path + [key]).joined(separator: " / ") }
}
