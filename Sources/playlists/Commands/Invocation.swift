/// A command with all that was given to it, checked against its usage.
struct Invocation {
    /// `nil` only together with ``wantsHelp``: help about the program as a whole.
    var command: Command?
    var operands: [String] = []
    var options: [CommandOption: String] = [:]

    var wantsHelp: Bool { options[.help] != nil }

    /// Reads a command line without the program's name.
    ///
    /// Options stand anywhere, as `--at 3` or `--at=3`; after `--` everything is an operand.
    init(_ words: [String], inShell: Bool = false) throws(UsageError) {
        var rest = words[...]
        while let word = rest.popFirst() {
            if word == "--" {
                operands += rest
                break
            }
            if word.hasPrefix("--") || word == "-h" {
                try take(word == "-h" ? "--help" : word, &rest)
            } else {
                operands.append(word)
            }
        }
        if operands.first == "help" {
            operands.removeFirst()
            options[.help] = ""
        }
        if !operands.isEmpty { command = try Command(named: operands.removeFirst()) }
        if wantsHelp { return }
        guard let command else { throw UsageError("No command. Try: playlists --help") }
        try check(command, inShell: inShell)
    }

    /// Takes an option, with its value behind `=` or in the next word.
    private mutating func take(
        _ word: String, _ rest: inout ArraySlice<String>
    ) throws(UsageError) {
        let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            .map(String.init)
        guard let option = CommandOption(rawValue: parts[0]), option.hasValue || parts.count == 1
        else { throw UsageError("There is no option \(word). Try --help.") }
        guard let value = option.hasValue ? parts.dropFirst().first ?? rest.popFirst() : "" else {
            throw UsageError("\(word) needs a value after it.")
        }
        if options.updateValue(value, forKey: option) != nil {
            throw UsageError("\(parts[0]) is given twice. Give it once.")
        }
    }

    func check(_ command: Command, inShell: Bool) throws(UsageError) {
        let name = command.rawValue
        if inShell, !command.isInShell {
            throw UsageError("\(name) does not work inside the shell.")
        }
        if !inShell, !command.isInProgram {
            throw UsageError("\(name) works inside of: playlists shell")
        }
        // The shell has its store already, and the tour has one of its own.
        let known = command.usage.options + (inShell || command == .tour ? [] : [.store])
        for option in options.keys where !known.contains(option) {
            throw UsageError("\(name) has no option \(option.rawValue) here. Try --help.")
        }
        let expected = command.usage.operands
        if operands.count < expected.count, !expected[operands.count].hasPrefix("[") {
            throw UsageError(
                "\(name) needs \(expected[operands.count]). Try: playlists \(name) --help")
        }
        if operands.count > expected.count, expected.last?.hasSuffix("…") != true {
            let first = operands[expected.count]
            throw UsageError(
                "\(name) does not take \"\(first)\". A name with spaces needs quotes around it.")
        }
    }
}

extension Invocation {
    /// The value of `--at`, from 1; `nil` without one.
    func at() throws(UsageError) -> Int? {
        guard let value = options[.at] else { return nil }
        return try Self.place(value)
    }

    /// The operand at `index` as a place in a playlist, from 1.
    func place(_ index: Int) throws(UsageError) -> Int { try Self.place(operands[index]) }

    /// The command as it was given, for the undo history.
    var title: String { ([command?.rawValue ?? ""] + operands).joined(separator: " ") }

    /// The value of `--limit`, from 0; `nil` without one.
    func limit() throws(UsageError) -> Int? { try number(.limit) }

    /// The value of `--times`, from 0; `nil` without one.
    func times() throws(UsageError) -> Int? { try number(.times) }

    private func number(_ option: CommandOption) throws(UsageError) -> Int? {
        guard let value = options[option] else { return nil }
        guard let number = Int(value), number >= 0 else {
            throw UsageError("\(option.rawValue) needs a whole number from 0 on, not \"\(value)\".")
        }
        return number
    }

    private static func place(_ text: String) throws(UsageError) -> Int {
        guard let number = Int(text), number >= 1 else {
            throw UsageError("A place is a whole number from 1 on, not \"\(text)\".")
        }
        return number
    }
}

/// Why a command line was not understood. Nothing was done.
struct UsageError: Error, Hashable, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
