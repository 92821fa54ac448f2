extension Condition {
    /// The condition without its constants: what many queries of a program have in common.
    func shape(within isPart: Bool) -> String {
        func joined(_ parts: [Condition], by word: String) -> String {
            var shapes: [String] = []
            // However many alternatives a list has, they are one shape.
            for part in parts.map({ $0.shape(within: true) }) where shapes.last != part {
                shapes.append(part)
            }
            let text = shapes.joined(separator: " \(word) ")
            return isPart && shapes.count > 1 ? "(\(text))" : text
        }
        return switch self {
        case .constant(let value): value ? "everything" : "nothing"
        case .all(let parts): joined(parts, by: "and")
        case .any(let parts): joined(parts, by: "or")
        case .not(let part): "not \(part.shape(within: true))"
        case .test(let test): "\(test.field.name) \(test.relation.rawValue) …"
        case .expression(let expression): Self.withoutConstants(expression.text)
        }
    }

    /// A text with `…` for what stands in quotes, and for numbers; of a long one the beginning.
    private static func withoutConstants(_ text: String) -> String {
        var shape = ""
        var (isQuoted, isEscaped) = (false, false)
        var last: Character = " "
        for character in text {
            if isQuoted {
                if character == "\"", !isEscaped { isQuoted = false }
                isEscaped = character == "\\" && !isEscaped
                continue
            }
            if character == "\"" {
                isQuoted = true
                shape += "…"
            } else if character.isNumber, !last.isLetter, last != "_",
                !(last.isNumber && shape.last == last)
            {
                if shape.last != "…" { shape += "…" }
            } else {
                shape.append(character)
            }
            last = character
            if shape.count >= 200 { return shape + "…" }
        }
        return shape
    }
}
