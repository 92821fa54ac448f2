/// A command with all that was given to it, checked against its usage.
struct Invocation: Hashable, Sendable {
    /// `nil` only together with ``wantsHelp``: help about the program as a whole.
    var command: Command?
    var operands: [String] = []
    var options: [CommandOption: String] = [:]
    var wantsHelp = false

    /// Reads a command line without the program's name.
    ///
    /// Options stand anywhere, as `--at 3` or `--at=3`; after `--` everything is an operand.
    /// With ``wantsHelp`` the operands are not checked.
    init(_ words: [String], inShell: Bool = false) throws(UsageError) {
        var rest = words[...]
        var names: [String] = []
        var given: [(name: String, value: String?)] = []
        while let word = rest.popFirst() {
            if word == "--" {
                names += rest
                rest = []
            } else if word.count > 1, word.hasPrefix("-"), Int(word) == nil {
                given.append(try Self.option(word, &rest))
            } else {
                names.append(word)
            }
        }
        if names.first == "help" {
            wantsHelp = true
            names.removeFirst()
        }
        if let name = names.first {
            command = try Command(named: name)
            operands = Array(names.dropFirst())
        }
        try take(given, inShell: inShell)
        if wantsHelp { return }
        guard let command else { throw .noCommand }
        try Self.check(command.place, of: command, inShell: inShell)
        try checkOperands(of: command)
    }

    /// Cuts `word` at `=`, or takes the next word, if the option has a value.
    private static func option(
        _ word: String, _ rest: inout ArraySlice<String>
    ) throws(UsageError) -> (name: String, value: String?) {
        let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let name = parts[0] == "-h" ? CommandOption.help.rawValue : String(parts[0])
        guard let option = CommandOption(rawValue: name) else { return (name, nil) }
        if option.valueName == nil {
            guard parts.count == 1 else { throw .needlessValue(option: name) }
            return (name, nil)
        }
        if parts.count == 2 { return (name, String(parts[1])) }
        guard let value = rest.popFirst() else { throw .noValue(option: name) }
        return (name, value)
    }

    private mutating func take(
        _ given: [(name: String, value: String?)], inShell: Bool
    ) throws(UsageError) {
        // The shell has its store already.
        let known = (inShell ? [.help] : [.store, .help]) + (command?.usage.options ?? [])
        for (name, value) in given {
            guard let option = CommandOption(rawValue: name), known.contains(option) else {
                throw .unknownOption(name, command: command?.rawValue ?? "playlists")
            }
            if option == .help {
                wantsHelp = true
                continue
            }
            guard options.updateValue(value ?? "", forKey: option) == nil else {
                throw .optionTwice(name)
            }
        }
    }

    private static func check(
        _ place: Command.Place, of command: Command, inShell: Bool
    ) throws(UsageError) {
        switch (place, inShell) {
        case (.onlyInShell, false): throw .onlyInShell(command: command.rawValue)
        case (.notInShell, true): throw .notInShell(command: command.rawValue)
        default: return
        }
    }

    private func checkOperands(of command: Command) throws(UsageError) {
        let expected = command.usage.operands
        for (index, operand) in expected.enumerated()
        where index >= operands.count && operand.count != .oneOrNone {
            throw .missing(operand: operand.name, command: command.rawValue)
        }
        if operands.count > expected.count, expected.last?.count != .oneOrMore {
            throw .tooMany(command: command.rawValue, first: operands[expected.count])
        }
    }
}

extension Invocation {
    /// The value of `--format`, JSON without one.
    func format() throws(UsageError) -> ExportFormat {
        guard let name = options[.format] else { return .json }
        guard let format = ExportFormat(rawValue: name) else {
            throw .badChoice(
                name, option: CommandOption.format.rawValue,
                choices: ExportFormat.allCases.map(\.rawValue))
        }
        return format
    }

    /// The value of `--at`, from 1; `nil` without one.
    func at() throws(UsageError) -> Int? {
        guard let value = options[.at] else { return nil }
        return try Self.place(value, name: CommandOption.at.rawValue)
    }

    /// The operand at `index` as a place in a playlist, from 1.
    func place(_ index: Int) throws(UsageError) -> Int {
        try Self.place(operands[index], name: command?.usage.operands[index].name ?? "N")
    }

    private static func place(_ text: String, name: String) throws(UsageError) -> Int {
        guard let number = Int(text), number >= 1 else { throw .badNumber(text, name: name) }
        return number
    }
}
