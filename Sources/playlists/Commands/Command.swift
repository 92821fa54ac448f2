/// Everything the program can be told to do.
enum Command: String, CaseIterable, Sendable {
    case importing = "import"
    case list, show, new, rename, add, move, remove
    case deleteSong = "delete-song"
    case delete, search, export, upgrade, info, shell, tour
    case undo, redo, save, rollback

    /// Where a command can be given.
    enum Place: Sendable { case everywhere, onlyInShell, notInShell }

    var place: Place {
        switch self {
        case .undo, .redo, .save, .rollback: .onlyInShell
        case .shell, .tour: .notInShell
        default: .everywhere
        }
    }

    /// What a command wants of its store.
    enum Opening: Sendable {
        /// Reading only: any number of programs may do so at a time.
        case reading
        case changing
        /// Changing, and there may be no store yet.
        case creating
    }

    var opening: Opening {
        switch self {
        case .list, .show, .search, .export, .info: .reading
        case .importing, .new, .shell, .tour: .creating
        default: .changing
        }
    }

    /// The command called `name`.
    ///
    /// - Throws: ``UsageError/unknownCommand(_:nearest:)``; the nearest begins with `name`, or
    ///   has its letters in another order, or one letter more, less or other.
    init(named name: String) throws(UsageError) {
        guard let command = Command(rawValue: name) else {
            let near = Command.allCases.map(\.rawValue).first { Self.isNear($0, name) }
            throw .unknownCommand(name, nearest: near)
        }
        self = command
    }

    private static func isNear(_ command: String, _ name: String) -> Bool {
        if name.count >= 2, command.hasPrefix(name) { return true }
        if command.sorted() == name.sorted() { return true }
        guard abs(command.count - name.count) <= 1, name.count >= 3 else { return false }
        let start = zip(command, name).prefix { $0 == $1 }.count
        let end = zip(command.reversed(), name.reversed()).prefix { $0 == $1 }.count
        return start + end >= max(command.count, name.count) - 1
    }
}

/// What a command takes after its name.
struct CommandUsage: Sendable {
    /// Names in capitals, in order. `…` after the last: it may be repeated. Brackets around it: it
    /// may be left out.
    let operands: [String]
    /// Besides `--store` and `--help`, which every command takes.
    let options: [CommandOption]
    /// Sentences for `--help`; the first is shown in the list of commands.
    let help: [String]

    init(_ operands: String, _ options: CommandOption..., help: String...) {
        self.operands = operands.split(separator: " ").map(String.init)
        self.options = options
        self.help = help
    }
}

/// An option with the name it has on the command line.
enum CommandOption: String, CaseIterable, Sendable {
    case store = "--store"
    case at = "--at"
    case dryRun = "--dry-run"
    case help = "--help"

    /// As help shows it.
    var synopsis: String {
        switch self {
        case .store: "--store DIR"
        case .at: "--at N"
        case .dryRun, .help: rawValue
        }
    }

    var hasValue: Bool { synopsis != rawValue }

    var help: String {
        switch self {
        case .store: "where the library is (default: playlists/Music in your data directory)"
        case .at: "put the songs at place N instead of at the end; the first place is 1"
        case .dryRun: "say what would be deleted and changed, and change nothing"
        case .help: "show this help and do nothing else"
        }
    }
}
