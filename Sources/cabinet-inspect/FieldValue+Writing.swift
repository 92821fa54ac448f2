import Cabinet

extension FieldValue {
    /// The value for a reader, on one line.
    var line: String {
        switch self {
        case .reference(let reference): reference.line
        case .references(let references):
            "[" + references.map(\.line).joined(separator: ", ") + "]"
        case .custom(let type, let bytes): "\(type) \(bytes.withUnsafeBytes { Program.hex($0) })"
        case .none: "none"
        default: json.written
        }
    }
}

extension FieldValue.Reference {
    var line: String {
        let name = className ?? classNumber.map { "class \($0)" } ?? "unknown class"
        return "\(name) \(row)"
    }
}
