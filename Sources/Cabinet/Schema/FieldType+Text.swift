/// The catalog's text for a type: `Int32?`, `[String: [Date]]`, `Set<UUID>`, `Codable<Place>`,
/// `Custom<Money>`, `One<Artwork>`, `Many<Song>`.
extension FieldType: CustomStringConvertible {
    var description: String {
        switch self {
        case .scalar(let scalar): scalar.rawValue
        case .optional(let wrapped): "\(wrapped)?"
        case .array(let element): "[\(element)]"
        case .set(let element): "Set<\(element)>"
        case .dictionary(let key, let value): "[\(key): \(value)]"
        case .coded(let name): "Codable<\(name)>"
        case .custom(let name): "Custom<\(name)>"
        case .one(let name): "One<\(name)>"
        case .many(let name): "Many<\(name)>"
        }
    }

    /// `nil` for a text that is no type's.
    init?(text: String) {
        var rest = text[...]
        guard let type = Self.take(from: &rest), rest.isEmpty else { return nil }
        self = type
    }

    private static func take(from rest: inout Substring) -> FieldType? {
        guard var type = takePlain(from: &rest) else { return nil }
        while rest.first == "?" {
            rest.removeFirst()
            type = .optional(type)
        }
        return type
    }

    private static func takePlain(from rest: inout Substring) -> FieldType? {
        if drop("[", from: &rest) {
            guard let first = take(from: &rest) else { return nil }
            if drop("]", from: &rest) { return .array(first) }
            guard drop(": ", from: &rest), let value = take(from: &rest), drop("]", from: &rest)
            else { return nil }
            return .dictionary(first, value)
        }
        if drop("Set<", from: &rest) {
            guard let element = take(from: &rest), drop(">", from: &rest) else { return nil }
            return .set(element)
        }
        let named: [(String, (String) -> FieldType)] = [
            ("Codable<", { .coded($0) }), ("Custom<", { .custom($0) }), ("One<", { .one($0) }),
            ("Many<", { .many($0) }),
        ]
        for (prefix, make) in named where drop(prefix, from: &rest) {
            return takeName(from: &rest).map(make)
        }
        let word = rest.prefix { $0.isLetter || $0.isNumber }
        guard let scalar = Scalar(rawValue: String(word)) else { return nil }
        rest.removeFirst(word.count)
        return .scalar(scalar)
    }

    private static func drop(_ prefix: String, from rest: inout Substring) -> Bool {
        guard rest.hasPrefix(prefix) else { return false }
        rest.removeFirst(prefix.count)
        return true
    }

    /// What comes before the `>` that closes the name; a generic type's name has its own.
    private static func takeName(from rest: inout Substring) -> String? {
        var depth = 0
        for index in rest.indices {
            switch rest[index] {
            case "<":
                depth += 1
            case ">" where depth > 0:
                depth -= 1
            case ">":
                let name = String(rest[..<index])
                rest = rest[rest.index(after: index)...]
                return name
            default:
                break
            }
        }
        return nil
    }
}

extension FieldType: Codable {
    init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        guard let type = FieldType(text: text) else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "no type: \(text)"))
        }
        self = type
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
