enum Command: String, CaseIterable {
    case importing = "import"
    case list, browse, show, search, top, duplicates, new, rename, add, move, remove, delete
    case deleteSong = "delete-song"
    case export, info, upgrade, watch, history, asof, shell, tour
    case undo, redo, save, rollback

    /// Whether the command works at the shell's prompt.
    var isInShell: Bool { ![.watch, .shell, .tour].contains(self) }

    /// Whether the command works without the shell.
    var isInProgram: Bool { ![.save, .rollback].contains(self) }

    /// Whether the command works on a library as it was.
    var readsThePast: Bool {
        [.list, .browse, .show, .top, .duplicates, .export].contains(self)
    }

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
        case .list, .browse, .show, .search, .top, .duplicates, .export, .info, .watch, .history,
            .asof:
            .reading
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
