/// The program's commands.
enum Command: String, CaseIterable {
    case importing = "import"
    case list, show, search, new, rename, add, move, remove, delete
    case deleteSong = "delete-song"
    case export, info, upgrade, shell, tour
    case undo, redo, save, rollback

    /// Whether the command works at the shell's prompt.
    var isInShell: Bool { self != .shell && self != .tour }

    /// Whether the command works without the shell.
    var isInProgram: Bool { ![.undo, .redo, .save, .rollback].contains(self) }

    /// What a command wants of its store.
    enum Opening {
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

    /// - Throws: ``UsageError`` if no command is called `name`.
    init(named name: String) throws(UsageError) {
        guard let command = Command(rawValue: name) else {
            throw UsageError("There is no command \"\(name)\". Try: playlists --help")
        }
        self = command
    }
}

/// An option with the name it has on the command line.
enum CommandOption: String, CaseIterable {
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
