/// A command with all that was given to it, checked.
struct Invocation: Hashable, Sendable {
    /// `nil` only for help about the program as a whole.
    var command: InspectCommand?
    var operands: [String] = []
    var options: Set<InspectOption> = []
    var depth: Int?
    var field: String?
    var limit: Int?
    var times: Int?
    /// Where the key of a sealed store is, and its new one.
    var keyFile: String?
    var newKeyFile: String?

    /// Reads a command line without the program's name. After `--` everything is an operand;
    /// `help` and a command ask for what `--help` does.
    init(_ words: [String]) throws(UsageError) {
        var names: [String] = []
        var rest = words[...]
        while let word = rest.popFirst() {
            if word == "--" {
                names += rest
                break
            }
            guard word.count > 1, word.hasPrefix("-") else {
                names.append(word)
                continue
            }
            guard let option = InspectOption(rawValue: word == "-h" ? "--help" : word) else {
                throw .unknownOption(word)
            }
            options.insert(option)
            switch option {
            case .depth: depth = try Self.depth(rest.popFirst())
            case .limit: limit = try Self.count(rest.popFirst(), of: option)
            case .times: times = try Self.count(rest.popFirst(), of: option)
            case .keyFile: keyFile = try Self.file(rest.popFirst(), of: option)
            case .newKeyFile: newKeyFile = try Self.file(rest.popFirst(), of: option)
            case .field:
                field = rest.popFirst()
                if field == nil { throw .badField }
            default: break
            }
        }
        if names.first == "help" {
            names.removeFirst()
            options.insert(.help)
        }
        if let name = names.first {
            guard let command = InspectCommand(rawValue: name) else { throw .unknownCommand(name) }
            self.command = command
            operands = Array(names.dropFirst())
        }
        if options.contains(.help) { return }
        guard let command else { throw .noCommand }
        let known = Set(command.options + InspectOption.ofAll)
        if let option = options.subtracting(known).first { throw .unknownOption(option.rawValue) }
        let pairs = [
            [InspectOption.hex, .json], [.dot, .json], [.keyFile, .askPassphrase],
            [.newKeyFile, .askNewPassphrase],
        ]
        for pair in pairs where options.isSuperset(of: pair) {
            throw .unknownOption("\(pair[0].rawValue) with \(pair[1].rawValue)")
        }
        let needed = command.operands.filter { !$0.hasPrefix("[") && !$0.hasSuffix("]") }
        if operands.count < needed.count { throw .missing(needed[operands.count], command) }
        if command == .graph, operands.count == 2 { throw .missing("ROW", command) }
        if depth != nil, operands.count < 3 {
            throw .unknownOption("--depth without CLASS and ROW")
        }
        if operands.count > command.operands.count {
            throw .tooMany(operands[command.operands.count], command)
        }
    }

    private static func depth(_ word: String?) throws(UsageError) -> Int {
        guard let word, let depth = Int(word), 0...1_000 ~= depth else {
            throw .badDepth(word ?? "nothing")
        }
        return depth
    }

    private static func file(
        _ word: String?, of option: InspectOption
    ) throws(UsageError) -> String {
        guard let word, !word.isEmpty else { throw .badFile(option) }
        return word
    }

    private static func count(
        _ word: String?, of option: InspectOption
    ) throws(UsageError) -> Int {
        guard let word, let count = Int(word), count >= 0 else {
            throw .badCount(option, word ?? "")
        }
        return count
    }

    var wantsJSON: Bool { options.contains(.json) }
    /// Whether the store is changed.
    var isWriting: Bool {
        [.compact, .rotate, .reencrypt].contains(command) || options.contains(.repair)
    }
    var wantsHelp: Bool { options.contains(.help) }
}

/// Why a command line was not understood. Nothing was done.
enum UsageError: Error, Hashable, Sendable, CustomStringConvertible {
    case noCommand
    case unknownCommand(String)
    case unknownOption(String)
    case missing(String, InspectCommand)
    case tooMany(String, InspectCommand)
    case badRow(String)
    case badDepth(String)
    case badCount(InspectOption, String)
    case badField
    case badFile(InspectOption)
    case noKey(InspectCommand)
    case onlyOfDirectories(InspectCommand)
    case notOfFiles(InspectCommand)
    case badCommit(String)
    case badMoment(String)

    var description: String {
        switch self {
        case .noCommand: "No command. Try: cabinet-inspect --help"
        case .unknownCommand(let name):
            "There is no command \"\(name)\". Try: cabinet-inspect --help"
        case .unknownOption(let name): "There is no option \(name). Try --help"
        case .missing(let name, let command):
            "\(command.rawValue) needs \(name). Try: cabinet-inspect \(command.rawValue) --help"
        case .tooMany(let word, let command): "\(command.rawValue) does not take \"\(word)\"."
        case .badRow(let text): "ROW must be a number from 1 to 4294967294, not \"\(text)\"."
        case .badCount(let option, let text):
            "\(option.rawValue) must be a number from 0 on, not \"\(text)\"."
        case .badCommit(let text): "\"\(text)\" is no number of a commit."
        case .badMoment(let text):
            "WHEN must be the number of a commit, a time such as 2026-03-31T12:00:00Z, or a day, not "
                + "\"\(text)\"."
        case .badFile(let option): "\(option.rawValue) needs the name of a file after it."
        case .noKey(let command):
            "\(command.rawValue) needs a key. Try: cabinet-inspect \(command.rawValue) --help"
        case .badField: "--in needs the name of a field after it."
        case .onlyOfDirectories(let command):
            "\(command.rawValue) is for stores in directories, not for files of SQLite's or on a server."
        case .notOfFiles(let command):
            "\(command.rawValue) does not change store files: they are written anew, and whole, by each save."
        case .badDepth(let text): "--depth must be a number from 0 to 1000, not \"\(text)\"."
        }
    }
}
