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
    /// - Throws: ``UsageError/unknownCommand(_:nearest:)``.
    init(named name: String) throws(UsageError) {
        guard let command = Command(rawValue: name) else {
            let near = Command.allCases.map(\.rawValue).filter { Self.isNear($0, name) }
            throw .unknownCommand(name, nearest: near.first)
        }
        self = command
    }

    /// Whether one name begins with the other, or has the same letters in another order, or one
    /// letter more, less or other.
    private static func isNear(_ command: String, _ name: String) -> Bool {
        if name.count >= 2, command.hasPrefix(name) || name.hasPrefix(command) { return true }
        let (left, right) = (Array(command), Array(name))
        if left.sorted() == right.sorted() { return true }
        guard abs(left.count - right.count) <= 1, right.count >= 3 else { return false }
        let start = zip(left, right).prefix { $0 == $1 }.count
        let end = zip(left.reversed(), right.reversed()).prefix { $0 == $1 }.count
        return start + end >= max(left.count, right.count) - 1
    }
}
