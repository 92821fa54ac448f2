/// Everything the program can be told to do.
enum InspectCommand: String, CaseIterable, Sendable {
    case info, check, salvage, backup, compact, dump, names, journal

    /// In capitals; in brackets what may be left out.
    var operands: [String] {
        switch self {
        case .info, .check, .compact, .names, .journal: ["STORE"]
        case .salvage: ["FROM", "INTO"]
        case .backup: ["STORE", "INTO"]
        case .dump: ["STORE", "CLASS", "[ROW]"]
        }
    }

    /// Besides `--json` and `--help`, which every command takes.
    var options: [InspectOption] {
        switch self {
        case .check: [.repair]
        case .dump: [.hex]
        default: []
        }
    }

    /// One line, without a full stop.
    var summary: String {
        switch self {
        case .info: "show the tables of a store and the room it takes"
        case .check: "read everything and say what is wrong"
        case .salvage: "make a new store of what can be read in a damaged one"
        case .backup: "copy all saves into a new store"
        case .compact: "make a new snapshot and remove the log that it replaces"
        case .dump: "show the records of a class as hexadecimal bytes"
        case .names: "show the named buffers"
        case .journal: "show the saves in the log"
        }
    }

    var details: [String] {
        switch self {
        case .check:
            [
                "Changes nothing without --repair, which makes damaged files that reads are served",
                "from anew out of the journal. For a damaged journal there is salvage.",
            ]
        case .salvage: ["FROM is not changed. INTO must not exist yet."]
        case .backup: ["STORE is not changed. INTO must not exist yet."]
        case .compact: ["Changes the store: its journal gets smaller, its content stays."]
        case .dump: ["With ROW only that one. --json gives one object a line."]
        case .journal:
            ["What a snapshot has replaced is not shown. --json gives one object a line."]
        case .names: ["--json gives one object a line."]
        case .info: []
        }
    }
}

/// An option; none has a value.
enum InspectOption: String, CaseIterable, Sendable {
    case json = "--json"
    case hex = "--hex"
    case repair = "--repair"
    case help = "--help"

    var help: String {
        switch self {
        case .json: "write JSON"
        case .hex: "write hexadecimal bytes (the default)"
        case .repair: "make damaged views anew"
        case .help: "show this help and do nothing else"
        }
    }
}
