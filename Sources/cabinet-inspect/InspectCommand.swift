enum InspectCommand: String, CaseIterable, Sendable {
    case info, check, salvage, backup, convert, compact, schema, dump, query, explain, watch,
        search, graph, referrers, names, log, history, asof, diff, encrypt, decrypt, rotate,
        reencrypt

    /// In capitals; in brackets what may be left out.
    var operands: [String] {
        switch self {
        case .info, .check, .compact, .schema, .names, .log: ["STORE"]
        case .salvage: ["FROM", "INTO"]
        case .convert, .encrypt, .decrypt: ["FROM", "TO"]
        case .rotate, .reencrypt: ["STORE"]
        case .backup: ["STORE", "INTO"]
        case .dump: ["STORE", "CLASS", "[ROW]"]
        case .query, .explain: ["STORE", "CLASS", "QUERY"]
        case .watch: ["STORE", "CLASS", "[QUERY]"]
        case .search: ["STORE", "CLASS", "WORDS"]
        case .graph: ["STORE", "[CLASS", "ROW]"]
        case .referrers, .history: ["STORE", "CLASS", "ROW"]
        case .asof: ["STORE", "CLASS", "WHEN", "[QUERY]"]
        case .diff: ["STORE", "FROM", "[TO]"]
        }
    }

    /// Besides those that every command takes.
    var options: [InspectOption] {
        switch self {
        case .check: [.repair]
        case .dump: [.hex]
        case .query: [.explain, .scan]
        case .explain: [.scan]
        case .watch: [.scan, .times]
        case .search: [.field, .limit, .typed, .explain]
        case .graph: [.dot, .depth]
        case .rotate: [.newKeyFile, .askNewPassphrase]
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
        case .convert: "copy a store into one that another engine keeps, and compare them"
        case .compact: "make a new snapshot and remove the log that it replaces"
        case .schema: "show classes, fields, layouts and relationships"
        case .dump: "show the records of a class"
        case .query: "show the records of a class that meet a condition"
        case .explain: "show how the records that meet a condition are found"
        case .watch: "show the records that meet a condition, and what commits change of them"
        case .search: "show the records of a class in whose texts words are found"
        case .graph: "show how classes, or the objects around one, refer to each other"
        case .referrers: "show which objects refer to one"
        case .names: "show the named buffers"
        case .log: "show the saves in the log"
        case .history: "show what commits have done to an object"
        case .asof: "show the records of a class as they were at an earlier commit"
        case .diff: "show what differs between two commits"
        case .encrypt: "copy a store into one that a key seals, and compare them"
        case .decrypt: "copy a sealed store into one that needs no key, and compare them"
        case .rotate: "give a sealed store another key"
        case .reencrypt: "write a sealed store anew under another data key"
        }
    }

    var details: [String] {
        switch self {
        case .check:
            [
                "Log, files and counters; then every record that can be read without its class, the",
                "objects that it refers to, and the table of who refers to whom; then the indexes of",
                "declared fields, of collations and of tokenizers that are built in.",
                "Changes nothing without --repair, which makes damaged files that reads are served",
                "from anew out of the log, and has wrong indexes made anew by the program whose they",
                "are when it next opens the store. For a damaged log there is salvage.",
            ]
        case .salvage: ["FROM is not changed. INTO must not exist yet."]
        case .backup: ["STORE is not changed. INTO must not exist yet."]
        case .convert:
            [
                "FROM and TO are stores of any engine. FROM is not changed. TO must be empty, or not exist",
                "yet; until all is copied it stays empty. Rows keep their numbers. What was saved",
                "earlier is not copied, and texts are indexed anew by the program whose they are.",
                "TO is not sealed, also if FROM is: for that there is encrypt.",
            ]
        case .compact: ["Changes the store: its log gets smaller, its content stays."]
        case .schema:
            [
                "What the catalog says: for each class its number, its version, how many records it",
                "has, and each layout that it ever had, with the fields and their types.",
            ]
        case .graph:
            [
                "Without CLASS the classes and their relationships; * stands for many. With CLASS and",
                "ROW the objects that the one in ROW refers to, those that these refer to, and so on:",
                "at most \(ObjectGraph.nodeLimit) objects, and \(ObjectGraph.fieldLimit) of one relationship; what is left out is counted.",
                "Try: cabinet-inspect graph STORE --dot | dot -Tsvg > classes.svg",
            ]
        case .referrers:
            [
                "Each object that refers to the one in ROW, and by which relationship. ROW need not be",
                "there: it shows who still refers to a deleted object, too. Of a record that its class",
                "wrote by hand this is known only where the store keeps who refers to objects of",
                "CLASS (schema says so); others are counted. --json gives one object a line.",
            ]
        case .names: ["--json gives one object a line."]
        case .info: []
        case .dump, .query, .explain, .watch, .search, .log: contentDetails
        case .history, .asof, .diff: pastDetails
        case .encrypt, .decrypt, .rotate, .reencrypt: keyDetails
        }
    }

    /// Of the commands that show records or saves.
    private var contentDetails: [String] {
        switch self {
        case .dump:
            [
                "With ROW only that one. --json gives one object a line; a reference is",
                "{\"class\":\"Song\",\"row\":42}. Declared fields are read by what the catalog says of",
                "them, in every layout and version. A record that its class wrote by hand only that",
                "class can read: it is shown as hexadecimal bytes, and so is one that cannot be read.",
            ]
        case .query:
            [
                "QUERY is a condition on declared fields, an order, a limit and an offset, each of which",
                "may be left out: 'year > 1960 AND title BEGINSWITH \"A\" ORDER BY title DESC LIMIT 20'.",
                "A field that a record did not have when it was written counts as one without a value.",
                "Records that their class wrote by hand are left out. --json gives one object a line.",
                "Indexes are used of declared fields and of collations that are built in. A scan meets",
                "every record, and so says which cannot be read.",
            ]
        case .explain:
            [
                "Runs QUERY as the command query does, and shows its steps with the records that each",
                "of them left, and the indexes that it could not use without the class, with the reason.",
            ]
        case .watch:
            [
                "The records that QUERY gives, without it all of CLASS, and after each commit of another",
                "program that changes them: + for one more, - for one less, ~ for one with other content.",
                "Runs QUERY again after each commit. Ends with Control-C. --json gives one object a line.",
            ]
        case .search:
            [
                "By the text indexes that the catalog names, best first. WORDS is a query: words that",
                "must all be found, \"phrases\", begin*, OR, NOT, parentheses, field:word, NEAR(…, 5).",
                "With --typed it is what a person has typed: the last word may go on, and longer words",
                "may have a typo or two. --json gives one object a line.",
                "While an index is not complete every record is read; --explain says so.",
            ]
        case .log:
            [
                "Each save: its number, time, size, changes, and who made it and what it says of itself,",
                "if it does. What a snapshot has replaced is not shown. --json gives one object a line.",
            ]
        default: []
        }
    }

    /// Of the commands about keys.
    private var keyDetails: [String] {
        switch self {
        case .encrypt:
            [
                "The key is that of TO, which must not exist yet, and of no engine but that of directories.",
                "As with convert, what was saved earlier is not copied. FROM is not changed: remove it",
                "yourself, and keep in mind what the disk and backups still have of it.",
            ]
        case .decrypt: ["The key is that of FROM, which is not changed. TO must not exist yet."]
        case .reencrypt:
            [
                "After the loss of a key: rotate first, so that a copy of the file of keys that was made",
                "before opens nothing of the store. What was interrupted goes on when it is called again.",
                "Takes disk space for the store twice.",
            ]
        case .rotate:
            [
                "When it has ended, the former key opens STORE no more. What is stored is not written anew:",
                "who has the former key and a copy of Journal/Key from before can read STORE.",
            ]
        default: []
        }
    }

    /// Of the commands that look back.
    private var pastDetails: [String] {
        switch self {
        case .history:
            [
                "Each commit that has changed the object in ROW: number, time, author, fields with old and new",
                "values, and notes. It begins with the oldest commit that is known. \"written\" is a change of",
                "which it is not known what it has replaced. --json gives one object a line.",
            ]
        case .asof:
            [
                "WHEN is the number of a commit, a time or a day: 812, 2026-03-31T12:00:00Z, 2026-03-31. A time",
                "stands for the last commit at or before it, a day for its end (UTC). For classes that keep",
                "history. QUERY as for the command query; every record is read.",
            ]
        case .diff:
            [
                "FROM and TO are numbers of commits; without TO up to the last one. What was changed and",
                "changed back is left out. --json gives one object a line.",
            ]
        default: []
        }
    }
}

enum InspectOption: String, CaseIterable, Sendable {
    /// What every command takes.
    static let ofAll = [InspectOption.keyFile, .askPassphrase, .json, .help]

    case json = "--json"
    case hex = "--hex"
    case repair = "--repair"
    case dot = "--dot"
    case depth = "--depth"
    case explain = "--explain"
    case scan = "--scan"
    case field = "--in"
    case limit = "--limit"
    case typed = "--typed"
    case times = "--times"
    case keyFile = "--key-file"
    case askPassphrase = "--ask-passphrase"
    case newKeyFile = "--new-key-file"
    case askNewPassphrase = "--ask-new-passphrase"
    case help = "--help"

    var help: String {
        switch self {
        case .json: "write JSON"
        case .hex: "write hexadecimal bytes"
        case .repair: "rebuild damaged views; have wrong indexes made anew"
        case .dot: "write the language of Graphviz"
        case .depth:
            "N: how many steps away from the object (default: \(ObjectGraph.usualDepth))"
        case .explain: "show how the records are found, and not the records"
        case .scan: "read every record, and use no index"
        case .field: "FIELD: look into this text only"
        case .limit: "N: show the first N only"
        case .times: "N: end after N changes"
        case .typed: "take WORDS as a person types them"
        case .keyFile: "FILE: the key of a sealed store, 32 bytes or 64 hexadecimal digits"
        case .askPassphrase: "ask for the passphrase of a sealed store"
        case .newKeyFile: "FILE: the new key, 32 bytes or 64 hexadecimal digits"
        case .askNewPassphrase: "ask for the new passphrase, twice"
        case .help: "show this help and do nothing else"
        }
    }
}
