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
        while let word = rest.popFirst() {
            if word == "--" {
                names += rest
                rest = []
            } else if word.count > 1, word.hasPrefix("-"), Int(word) == nil {
                try take(word, &rest)
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
        try checkOptions(inShell: inShell)
        if wantsHelp { return }
        guard let command else { throw .noCommand }
        switch (command.place, inShell) {
        case (.onlyInShell, false): throw .onlyInShell(command: command.rawValue)
        case (.notInShell, true): throw .notInShell(command: command.rawValue)
        default: try checkOperands(of: command)
        }
    }

    /// Takes the option `word`, with its value behind `=` or in the next word.
    private mutating func take(
        _ word: String, _ rest: inout ArraySlice<String>
    ) throws(UsageError) {
        let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let name = parts[0] == "-h" ? CommandOption.help.rawValue : String(parts[0])
        guard let option = CommandOption(rawValue: name) else { throw .unknownOption(name) }
        var value = parts.count == 2 ? String(parts[1]) : nil
        if !option.hasValue, value != nil { throw .needlessValue(option: name) }
        if option.hasValue, value == nil { value = rest.popFirst() }
        if option.hasValue, value == nil { throw .noValue(option: name) }
        guard options.updateValue(value ?? "", forKey: option) == nil else {
            throw .optionTwice(name)
        }
    }

    /// Help is no option of the command; the shell has its store already.
    private mutating func checkOptions(inShell: Bool) throws(UsageError) {
        if options.removeValue(forKey: .help) != nil { wantsHelp = true }
        let known = (inShell ? [] : [.store]) + (command?.usage.options ?? [])
        for option in CommandOption.allCases where options[option] != nil {
            if !known.contains(option) { throw .unknownOption(option.rawValue) }
        }
    }

    private func checkOperands(of command: Command) throws(UsageError) {
        let expected = command.usage.operands
        if operands.count < expected.count, !expected[operands.count].hasPrefix("[") {
            throw .missing(operand: expected[operands.count], command: command.rawValue)
        }
        if operands.count > expected.count, expected.last?.hasSuffix("…") != true {
            throw .tooMany(command: command.rawValue, first: operands[expected.count])
        }
    }
}

extension Invocation {
    /// The value of `--at`, from 1; `nil` without one.
    func at() throws(UsageError) -> Int? {
        guard let value = options[.at] else { return nil }
        return try Self.place(value, name: CommandOption.at.rawValue)
    }

    /// The operand at `index` as a place in a playlist, from 1.
    func place(_ index: Int) throws(UsageError) -> Int {
        try Self.place(operands[index], name: command?.usage.operands[index] ?? "N")
    }

    /// The command as it was given, for the undo history.
    var title: String { ([command?.rawValue ?? ""] + operands).joined(separator: " ") }

    private static func place(_ text: String, name: String) throws(UsageError) -> Int {
        guard let number = Int(text), number >= 1 else { throw .badNumber(text, name: name) }
        return number
    }
}
