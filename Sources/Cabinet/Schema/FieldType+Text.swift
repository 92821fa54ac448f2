/// The text for a type: `Int32?`, `[String: [Date]]`, `Set<UUID>`, `Codable<Place>`,
/// `Custom<Money>`, `One<Artwork>`, `Many<Song>`.
extension FieldType: CustomStringConvertible {
    /// As the catalog has it.
    var description: String {
        switch self {
        case .scalar(let scalar): scalar.rawValue
        case .optional(let wrapped): "\(wrapped)?"
        case .array(let element): "[\(element)]"
        case .set(let element): "Set<\(element)>"
        case .dictionary(let key, let value): "[\(key): \(value)]"
        case .compact(let name): "Codable<\(name)>"
        case .custom(let name): "Custom<\(name)>"
        case .one(let name): "One<\(name)>"
        case .many(let name): "Many<\(name)>"
        }
    }

    /// How deep types may be nested: reading their values recurses that often.
    static let depthLimit = 32

    /// How deep the type is nested; 1 for a plain one.
    var depth: Int {
        switch self {
        case .optional(let inner), .array(let inner), .set(let inner): inner.depth + 1
        case .dictionary(let key, let value): max(key.depth, value.depth) + 1
        default: 1
        }
    }

    /// `nil` for a text that is no type's, or that of one which is nested too deep.
    init?(text: String) {
        if let scalar = Scalar(rawValue: text) {
            self = .scalar(scalar)
            return
        }
        var rest = text[...]
        guard let type = Self.take(from: &rest, Self.depthLimit), rest.isEmpty,
            type.depth <= Self.depthLimit
        else { return nil }
        self = type
    }

    private static func take(from rest: inout Substring, _ depth: Int) -> FieldType? {
        guard depth > 0, var type = takePlain(from: &rest, depth) else { return nil }
        var room = depth
        while rest.first == "?" {
            room -= 1
            guard room > 0 else { return nil }
            rest.removeFirst()
            type = .optional(type)
        }
        return type
    }

    private static func takePlain(from rest: inout Substring, _ depth: Int) -> FieldType? {
        if drop("[", from: &rest) {
            guard let first = take(from: &rest, depth - 1) else { return nil }
            if drop("]", from: &rest) { return .array(first) }
            guard drop(": ", from: &rest), let value = take(from: &rest, depth - 1),
                drop("]", from: &rest)
            else { return nil }
            return .dictionary(first, value)
        }
        if drop("Set<", from: &rest) {
            guard let element = take(from: &rest, depth - 1), drop(">", from: &rest) else {
                return nil
            }
            return .set(element)
        }
        let named: [(String, (String) -> FieldType)] = [
            ("Codable<", { .compact($0) }), ("Custom<", { .custom($0) }),
            ("One<", { .one($0) }), ("Many<", { .many($0) }),
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
