/// What `--help` prints.
enum HelpText {
    /// All commands of the program, one line each.
    static var program: [String] {
        [
            "Keeps songs and playlists in a store.", "", "Usage: playlists COMMAND … [--store DIR]",
            "",
        ]
            + lines(Command.allCases.filter { $0.place != .onlyInShell })
            + [
                "", "playlists COMMAND --help says more about a command.",
                "A first look, which keeps nothing: playlists tour",
            ]
    }

    /// The commands of the shell, one line each.
    static var shell: [String] {
        lines(Command.allCases.filter { $0.place != .notInShell }) + ["  quit: Save and leave."]
    }

    /// Usage, help and options of one command.
    static func lines(for command: Command) -> [String] {
        ["Usage: playlists \(command.synopsis) [--store DIR]", ""] + command.usage.help + [""]
            + (command.usage.options + [.store, .help]).map { "  \($0.synopsis): \($0.help)" }
    }

    private static func lines(_ commands: [Command]) -> [String] {
        commands.map { "  \($0.synopsis): \($0.usage.help[0])" }
    }
}
