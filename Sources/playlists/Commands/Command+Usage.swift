extension Command {
    /// What the command takes, and what its help says.
    var usage: CommandUsage {
        switch self {
        case .importing, .export, .upgrade, .info: libraryUsage
        case .list, .show, .search: readingUsage
        case .new, .rename, .add, .move, .remove, .delete, .deleteSong: editingUsage
        case .shell, .tour, .undo, .redo, .save, .rollback: sessionUsage
        }
    }

    private var libraryUsage: CommandUsage {
        switch self {
        case .importing:
            CommandUsage(
                operands: [.init(name: "FILE", count: .oneOrMore)],
                summary: "import music libraries, playlists and song tables",
                details: [
                    "FILE is the Library.xml of Apple Music or iTunes, an .m3u or .m3u8 playlist,",
                    "or a .csv table whose first line names its columns.",
                    "Each file is saved as a whole or not at all. Importing a file again brings",
                    "songs and playlists up to date instead of doubling them.",
                ])
        case .export:
            CommandUsage(
                operands: [.init(name: "PLAYLIST", count: .oneOrNone)],
                options: [.format],
                summary: "write the library, or one playlist, to standard output",
                details: ["m3u without PLAYLIST writes all songs as one list."])
        case .upgrade:
            CommandUsage(
                summary: "rewrite all records that an older version wrote",
                details: [
                    "Not needed for use: old records are read as they are, and rewritten when they",
                    "are changed. Until then they stay readable to the program that wrote them.",
                    "Stopped halfway, it leaves a good store: call it again.",
                ])
        default:
            CommandUsage(summary: "show what the store holds, class by class")
        }
    }

    private var readingUsage: CommandUsage {
        switch self {
        case .list:
            CommandUsage(
                operands: [.init(name: "PLAYLIST", count: .oneOrNone)],
                summary: "list all playlists, or the songs of one",
                details: ["PLAYLIST is a title, or @ROW."])
        case .show:
            CommandUsage(
                operands: [.init(name: "SONG")],
                summary: "show all that is known of a song",
                details: ["SONG is a title, or @ROW."])
        default:
            CommandUsage(
                operands: [.init(name: "TEXT")],
                summary: "find songs and playlists",
                details: ["TEXT may stand anywhere in title, artist or album, in any case."])
        }
    }

    private var editingUsage: CommandUsage {
        let playlist = CommandUsage.Operand(name: "PLAYLIST")
        let song = CommandUsage.Operand(name: "SONG")
        return switch self {
        case .new:
            CommandUsage(operands: [.init(name: "TITLE")], summary: "make an empty playlist")
        case .rename:
            CommandUsage(
                operands: [playlist, .init(name: "TITLE")],
                summary: "give a playlist another title")
        case .add:
            CommandUsage(
                operands: [playlist, .init(name: "SONG", count: .oneOrMore)], options: [.at],
                summary: "put songs into a playlist",
                details: ["SONG is a title, or @ROW."])
        case .move:
            CommandUsage(
                operands: [playlist, .init(name: "FROM"), .init(name: "TO")],
                summary: "move a song within a playlist",
                details: ["FROM and TO are places; the first place is 1."])
        case .remove:
            CommandUsage(
                operands: [playlist, .init(name: "N")],
                summary: "take the song at place N out of a playlist",
                details: ["The song stays in the library."])
        case .delete:
            CommandUsage(
                operands: [playlist], options: [.dryRun], summary: "delete a playlist",
                details: ["Its songs stay in the library."])
        default:
            CommandUsage(
                operands: [song], options: [.dryRun], summary: "delete a song",
                details: ["It leaves every playlist it was in."])
        }
    }

    private var sessionUsage: CommandUsage {
        switch self {
        case .shell:
            CommandUsage(
                summary: "take commands from a prompt or a pipe",
                details: [
                    "Changes are saved together: at \"save\", at \"quit\", and at the end of the input.",
                    "A mistake in a pipe ends the shell without saving those since the last \"save\".",
                    "The shell also knows undo, redo and rollback.",
                ])
        case .tour:
            CommandUsage(
                summary: "show the program at work on a sample library",
                details: ["Uses a temporary directory, unless --store names one."])
        case .undo: CommandUsage(summary: "take the last step back")
        case .redo: CommandUsage(summary: "do again what was taken back")
        case .save: CommandUsage(summary: "keep all changes, as one")
        default: CommandUsage(summary: "forget all changes since the last save")
        }
    }
}
