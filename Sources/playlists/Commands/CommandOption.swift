enum CommandOption: String, CaseIterable {
    case store = "--store"
    case at = "--at"
    case dryRun = "--dry-run"
    case sort = "--sort"
    case limit = "--limit"
    case by = "--by"
    case query = "--query"
    case times = "--times"
    case help = "--help"

    /// As help shows it.
    var synopsis: String {
        switch self {
        case .store: "--store PLACE"
        case .at: "--at N"
        case .sort: "--sort KEY"
        case .limit: "--limit N"
        case .by: "--by MEASURE"
        case .times: "--times N"
        case .dryRun, .query, .help: rawValue
        }
    }

    var hasValue: Bool { synopsis != rawValue }

    var help: String {
        switch self {
        case .store:
            "a directory, FILE.cabinet, sqlite:FILE or URL (default: in your data directory)"
        case .at: "put the songs at place N instead of at the end; the first place is 1"
        case .dryRun: "say what would be deleted and changed, and change nothing"
        case .sort: "list songs by title, artist, album, year or time; -KEY turns the order around"
        case .limit: "show the first N only"
        case .by: "what comes first: most songs (default), or most time"
        case .query: "take TEXT as a query"
        case .times: "end after N changes"
        case .help: "show this help and do nothing else"
        }
    }
}
