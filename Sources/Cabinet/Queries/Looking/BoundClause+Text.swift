extension BoundClause {
    /// Tests all of which a record meets that meets the clause.
    var conjuncts: [BoundTest] {
        switch self {
        case .all(let parts): parts.flatMap(\.conjuncts)
        case .test(let test): [test]
        case .any, .not, .constant: []
        }
    }

    /// The clause for a reader.
    var text: String {
        switch self {
        case .all(let parts):
            parts.map { $0.isSimple ? $0.text : "(\($0.text))" }.joined(separator: " and ")
        case .any(let parts):
            parts.map { $0.isSimple ? $0.text : "(\($0.text))" }.joined(separator: " or ")
        case .not(let part): part.isSimple ? "not \(part.text)" : "not (\(part.text))"
        case .constant(let value): "\(value)"
        case .test(let test): test.text
        }
    }

    private var isSimple: Bool {
        switch self {
        case .all(let parts), .any(let parts): parts.count == 1
        case .not, .constant, .test: true
        }
    }
}
