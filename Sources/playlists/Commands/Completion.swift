/// What a line of the shell may become.
enum Completion {
    /// The lines that begin as `line` does: with the name of a command, or, where a command takes a
    /// playlist, with one of the titles `playlists`. Case counts only where it decides.
    static func lines(from line: String, playlists: [String]) -> [String] {
        let parts = line.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else {
            let names = Command.allCases.filter(\.isInShell).map(\.rawValue) + ["help", "quit"]
            return names.filter { $0.hasPrefix(line) }.sorted()
        }
        guard let command = Command(rawValue: String(parts[0])),
            let operand = command.usage.operands.first, operand.contains("PLAYLIST"),
            let start = word(String(parts[1]))
        else { return [] }
        let exact = playlists.filter { $0.hasPrefix(start) }
        let folded = start.lowercased()
        let titles =
            exact.isEmpty ? playlists.filter { $0.lowercased().hasPrefix(folded) } : exact
        return titles.map { "\(command.rawValue) \(ShellWords.quoted($0))" }
    }

    /// The one word in `text` that still may go on; `nil` if there are more, or it is complete.
    private static func word(_ text: String) -> String? {
        if let words = try? ShellWords.split(text) {
            return words.isEmpty ? "" : words.count == 1 && text.last != " " ? words[0] : nil
        }
        // In quotes.
        for end in ["\"", "'"] {
            if let words = try? ShellWords.split(text + end), words.count == 1 { return words[0] }
        }
        return nil
    }
}
