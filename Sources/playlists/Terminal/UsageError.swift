/// Why a command line was not understood. Nothing was done.
enum UsageError: Error, Hashable, Sendable {
    case noCommand
    /// `nearest` is a command of a similar name, if there is one.
    case unknownCommand(String, nearest: String?)
    /// The command, or the shell, does not have this option.
    case unknownOption(String)
    case noValue(option: String)
    case needlessValue(option: String)
    case optionTwice(String)
    /// `operand` is missing, as the usage of `command` names it.
    case missing(operand: String, command: String)
    case tooMany(command: String, first: String)
    /// `value` is no whole number from 1 on.
    case badNumber(String, name: String)
    /// `command` works only at the shell's prompt.
    case onlyInShell(command: String)
    /// `command` does not work at the shell's prompt.
    case notInShell(command: String)
    case openQuote
    case openEscape
}

extension UsageError: CustomStringConvertible {
    var description: String {
        switch self {
        case .noCommand:
            "No command. Try: playlists --help"
        case .unknownCommand(let name, let nearest):
            "There is no command \"\(name)\". "
                + (nearest.map { "Did you mean \"\($0)\"?" } ?? "Try: playlists --help")
        case .unknownOption(let option):
            "There is no option \(option) here. Try --help."
        case .noValue(let option):
            "\(option) needs a value after it."
        case .needlessValue(let option):
            "\(option) takes no value."
        case .optionTwice(let option):
            "\(option) is given twice. Give it once."
        case .missing(let operand, let command):
            "\(command) needs \(operand). Try: playlists \(command) --help"
        case .tooMany(let command, let first):
            "\(command) does not take \"\(first)\". A name with spaces needs quotes around it."
        case .badNumber(let value, let name):
            "\(name) must be a whole number from 1 on, not \"\(value)\"."
        case .onlyInShell(let command):
            "\(command) works inside of: playlists shell"
        case .notInShell(let command):
            "\(command) does not work inside the shell."
        case .openQuote:
            "A quote is opened and not closed."
        case .openEscape:
            "The line ends after a backslash."
        }
    }
}
