/// What `LIKE` compares texts with: `%` stands for any characters, `_` for one, and `\` before one of these or
/// before itself for that character. Others stand for what `String` calls equal.
struct LikePattern: Hashable, Sendable {
    private enum Part: Hashable {
        case anything, one
        case character(Character)
    }

    private let parts: [Part]
    /// What every text begins with that matches.
    let prefix: String

    init(_ text: String) {
        var parts: [Part] = []
        var isEscaped = false
        for character in text {
            switch character {
            case "\\" where !isEscaped:
                isEscaped = true
                continue
            case "%" where !isEscaped: parts.append(.anything)
            case "_" where !isEscaped: parts.append(.one)
            default:
                if isEscaped, !["\\", "%", "_"].contains(character) {
                    parts.append(.character("\\"))
                }
                parts.append(.character(character))
            }
            isEscaped = false
        }
        if isEscaped { parts.append(.character("\\")) }
        self.parts = parts
        prefix = String(
            parts.prefix { if case .character = $0 { true } else { false } }
                .compactMap { if case .character(let character) = $0 { character } else { nil } })
    }

    /// Whether all of `text` matches. Takes time in proportion to both lengths at most.
    func matches(_ text: String) -> Bool {
        var (place, next) = (text.startIndex, 0)
        /// Where to go on if what follows the last `%` does not match: behind one character more.
        var retry: (place: String.Index, next: Int)?
        while place < text.endIndex {
            if next < parts.count {
                switch parts[next] {
                case .anything:
                    retry = (place, next + 1)
                    next += 1
                    continue
                case .one:
                    text.formIndex(after: &place)
                    next += 1
                    continue
                case .character(let character) where character == text[place]:
                    text.formIndex(after: &place)
                    next += 1
                    continue
                case .character: break
                }
            }
            guard let last = retry else { return false }
            place = text.index(after: last.place)
            next = last.next
            retry = (place, next)
        }
        return parts[next...].allSatisfy { $0 == .anything }
    }
}
