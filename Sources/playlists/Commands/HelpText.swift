/// What `--help` prints.
enum HelpText {
    /// All commands, one line each.
    static var program: [String] {
        let commands = Command.allCases.filter { $0.place != .onlyInShell }
        let width = commands.map(\.rawValue.count).max() ?? 0
        return [
            "Keeps songs and playlists in a store.",
            "",
            "Usage: playlists COMMAND … [--store DIR]",
            "",
        ]
            + commands.map { command in
                "  \(padded(command.rawValue, to: width))  \(command.usage.summary)"
            }
            + [
                "", "playlists COMMAND --help says more about a command.",
                "A first look, which keeps nothing: playlists tour",
            ]
    }

    /// The commands of the shell, one line each.
    static var shell: [String] {
        let commands = Command.allCases.filter { $0.place != .notInShell }
        let width = commands.map { synopsis(of: $0).count }.max() ?? 0
        return commands.map { command in
            "  \(padded(synopsis(of: command), to: width))  \(command.usage.summary)"
        } + ["  \(padded("quit", to: width))  save and leave"]
    }

    /// Usage, details and options of one command.
    static func lines(for command: Command) -> [String] {
        let usage = command.usage
        var lines = ["Usage: playlists \(synopsis(of: command)) [--store DIR]", ""]
        lines.append(usage.summary.prefix(1).uppercased() + usage.summary.dropFirst() + ".")
        lines += usage.details
        lines.append("")
        let options = usage.options + [.store, .help]
        let names = options.map { $0.rawValue + ($0.valueName.map { " " + $0 } ?? "") }
        let width = names.map(\.count).max() ?? 0
        for (option, name) in zip(options, names) {
            lines.append("  \(padded(name, to: width))  \(option.help)")
        }
        return lines
    }

    /// `add PLAYLIST SONG… [--at N]`
    static func synopsis(of command: Command) -> String {
        let usage = command.usage
        let options = usage.options.map { option in
            "[\(option.rawValue)\(option.valueName.map { " " + $0 } ?? "")]"
        }
        return ([command.rawValue] + usage.operands.map(\.text) + options)
            .joined(separator: " ")
    }

    private static func padded(_ text: String, to width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }
}
