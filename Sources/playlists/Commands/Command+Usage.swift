/// What a command takes after its name.
struct CommandUsage {
    /// Names in capitals, in order. `…` after the last: it may be repeated. Brackets around it: it
    /// may be left out.
    let operands: [String]
    /// Besides `--store` and `--help`.
    let options: [CommandOption]
    /// Sentences for `--help`; the first is shown in the list of commands.
    let help: [String]

    init(_ operands: String, _ options: CommandOption..., help: String...) {
        self.operands = operands.split(separator: " ").map(String.init)
        self.options = options
        self.help = help
    }
}

extension CommandUsage {
    fileprivate static let browse = CommandUsage(
        "[ARTIST]", .limit, help: "List artists and how many songs they have, or the songs of one.",
        "ARTIST is written as the list shows it.")

    fileprivate static let watch = CommandUsage(
        "[QUERY]", .times, help: "Show songs, and what other programs change of them.",
        "QUERY is a condition and an order: \"year > 1960 ORDER BY title\". + is new, - is gone,",
        "~ has changed. Ends with Control-C.")

    fileprivate static let shell = CommandUsage(
        "", help: "Take commands from a prompt or a pipe.",
        "Changes are saved together: at \"save\", at \"quit\", and at the end of the input.",
        "A mistake in a pipe ends the shell without saving those since the last \"save\".",
        "The shell also knows rollback. Undo reaches back beyond its beginning.")

    fileprivate static let asof = CommandUsage(
        "DATE COMMAND…", .sort, .limit, .by, help: "Show the library as it was.",
        "DATE is a day, which is meant to its end, a time as 2024-03-31T12:00:00Z, or the number of",
        "a commit, as history shows it. COMMAND is list, browse, show, top, duplicates or export.")
}

extension Command {
    /// What the command takes, and what its help says. SONG and PLAYLIST are a title, or @ROW.
    var usage: CommandUsage {
        switch self {
        case .importing:
            .init(
                "FILE…", help: "Import music libraries.",
                "FILE is the Library.xml that Apple Music or iTunes exports. Each file is saved as",
                "a whole or not at all. Importing a file again brings songs and playlists up to date.",
                "At the shell's prompt, imports run beside other commands, and save by themselves."
            )
        case .list:
            .init(
                "[PLAYLIST]", .sort, .limit, help: "List all playlists, or the songs of one.",
                "With --sort, all songs of the library, or those of PLAYLIST, each once.")
        case .browse: .browse
        case .show: .init("SONG", help: "Show all that is known of a song.")
        case .search:
            .init(
                "TEXT…", .query, .limit, help: "Find songs and playlists.",
                "All words of TEXT must stand in title, artist or album, in any case; the last one may",
                "go on. Longer words may have a typo or two: what has none comes first.",
                "With --query: \"one phrase\", begin*, OR, NOT, (…), artist:word, [[*part*]].")
        case .top:
            .init(
                "KEY", .by, .limit, help: "Show who has the most songs, or the most time.",
                "KEY is artists, albums, genres or years. Shows the first 10 without --limit.")
        case .duplicates:
            .init("", help: "Show songs of the same title and artist.")
        case .new: .init("TITLE", help: "Make an empty playlist.")
        case .rename: .init("PLAYLIST TITLE", help: "Give a playlist another title.")
        case .add: .init("PLAYLIST SONG…", .at, help: "Put songs into a playlist.")
        case .move:
            .init(
                "PLAYLIST FROM TO", help: "Move a song within a playlist.",
                "FROM and TO are places; the first place is 1.")
        case .remove: .init("PLAYLIST N", help: "Take the song at place N out of a playlist.")
        case .delete:
            .init(
                "PLAYLIST", .dryRun, help: "Delete a playlist.", "Its songs stay in the library.")
        case .deleteSong:
            .init("SONG", .dryRun, help: "Delete a song.", "It leaves every playlist it was in.")
        case .export: .init("[PLAYLIST]", help: "Write the library, or one playlist, as JSON.")
        case .info: .init("", help: "Show what the store holds, class by class.")
        case .upgrade:
            .init(
                "", help: "Rewrite all records that an older version wrote.",
                "Not needed for use: old records are read as they are, and rewritten when they",
                "are changed. Until then they stay readable to the program that wrote them.",
                "Stopped halfway, it leaves a good store: call it again.")
        case .watch: .watch
        case .history:
            .init("SONG", help: "Show what has become of a song: when, and by which command.")
        case .asof: .asof
        case .shell: .shell
        case .tour: .init("", help: "Show the program at work on a sample library.")
        case .undo: .init("", help: "Take the last step back, also one of an earlier run.")
        case .redo: .init("", help: "Do again what was taken back.")
        case .save: .init("", help: "Keep all changes, as one.")
        case .rollback: .init("", help: "Forget all changes since the last save.")
        }
    }

    /// `add PLAYLIST SONG… [--at N]`
    var synopsis: String {
        ([rawValue] + usage.operands + usage.options.map { "[\($0.synopsis)]" })
            .joined(separator: " ")
    }

    /// Usage, help and options.
    var help: [String] {
        ["Usage: playlists \(synopsis) [--store PLACE]", ""] + usage.help + [""]
            + (usage.options + [.store, .help]).map { "  \($0.synopsis): \($0.help)" }
    }

    static var programHelp: [String] {
        [
            "Keeps songs and playlists in a store.", "",
            "Usage: playlists COMMAND … [--store PLACE]",
            "",
        ]
            + lines(allCases.filter(\.isInProgram))
            + [
                "", "playlists COMMAND --help says more about a command.",
                "A first look, which keeps nothing: playlists tour",
            ]
    }

    static var shellHelp: [String] {
        lines(allCases.filter(\.isInShell)) + ["  quit: Save and leave."]
    }

    private static func lines(_ commands: [Command]) -> [String] {
        commands.map { "  \($0.synopsis): \($0.usage.help[0])" }
    }
}
