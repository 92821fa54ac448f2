/// What a command takes after its name.
struct CommandUsage: Hashable, Sendable {
    struct Operand: Hashable, Sendable {
        enum Count: Sendable {
            case one, oneOrMore, oneOrNone
        }

        /// In capitals, as shown: `PLAYLIST`.
        var name: String
        var count = Count.one

        var text: String {
            switch count {
            case .one: name
            case .oneOrMore: name + "…"
            case .oneOrNone: "[\(name)]"
            }
        }
    }

    /// In order; only the last may be repeated or left out.
    var operands: [Operand] = []
    /// Besides `--store` and `--help`, which every command takes.
    var options: [CommandOption] = []
    /// One line, without a full stop.
    var summary: String
    /// Sentences for `--help`.
    var details: [String] = []
}

/// An option with the name it has on the command line.
enum CommandOption: String, CaseIterable, Sendable {
    case store = "--store"
    case at = "--at"
    case format = "--format"
    case dryRun = "--dry-run"
    case help = "--help"

    /// What the value is called in the usage; `nil` for an option without a value.
    var valueName: String? {
        switch self {
        case .store: "DIR"
        case .at: "N"
        case .format: ExportFormat.allCases.map(\.rawValue).joined(separator: "|")
        case .dryRun, .help: nil
        }
    }

    var help: String {
        switch self {
        case .store: "where the library is (default: playlists/Music in your data directory)"
        case .at: "put the songs at place N instead of at the end; the first place is 1"
        case .format: "the form to write (default: json)"
        case .dryRun: "say what would be deleted and changed, and change nothing"
        case .help: "show this help and do nothing else"
        }
    }
}
