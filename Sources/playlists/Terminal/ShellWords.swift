/// Cuts a line of the shell into words, as people know it from other shells.
enum ShellWords {
    /// Words are separated by spaces and tabs. `'…'` takes every character literally, `"…"` and
    /// bare words know `\` before any character. `#` at the start of a word ends the line.
    ///
    /// - Throws: ``UsageError`` if a quote is not closed, or nothing follows a `\`.
    static func split(_ line: String) throws(UsageError) -> [String] {
        var words: [String] = []
        var word: String?
        var quote: Character?
        var rest = line[...]
        while let character = rest.popFirst() {
            switch (character, quote) {
            case ("\\", nil), ("\\", "\""):
                guard let next = rest.popFirst() else {
                    throw UsageError("The line ends after a backslash.")
                }
                word = (word ?? "") + String(next)
            case (_, character): quote = nil
            case ("\"", nil), ("'", nil):
                quote = character
                word = word ?? ""
            case (" ", nil), ("\t", nil):
                if let word { words.append(word) }
                word = nil
            case ("#", nil) where word == nil: return words
            default: word = (word ?? "") + String(character)
            }
        }
        guard quote == nil else { throw UsageError("A quote is opened and not closed.") }
        if let word { words.append(word) }
        return words
    }

    /// `word` in quotes, so that ``split(_:)`` gives it back.
    static func quoted(_ word: String) -> String {
        "\"" + word.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
    }
}
