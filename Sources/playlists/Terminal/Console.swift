import Foundation

/// Where the program writes: answers to `output`, and what is said about them to `messages`.
///
/// Not `Sendable`: it belongs to the one task that runs the commands.
final class Console {
    enum Channel: Sendable { case output, messages }

    /// Why the first write of output failed; later ones are not tried.
    private(set) var failure: (any Error)?
    /// Whether output is seen on a terminal, which shows marks in it.
    let showsMarks: Bool
    private let send: (Channel, String) throws -> Void

    /// - Parameters:
    ///   - showsMarks: whether output is seen on a terminal.
    ///   - send: writes the text.
    init(showsMarks: Bool = false, send: @escaping (Channel, String) throws -> Void) {
        self.showsMarks = showsMarks
        self.send = send
    }

    static func standard() -> Console {
        let terminal = ProcessInfo.processInfo.environment["TERM"] ?? ""
        let showsMarks = isatty(STDOUT_FILENO) == 1 && !["", "dumb"].contains(terminal)
        return Console(showsMarks: showsMarks) { channel, text in
            let file: FileHandle = channel == .output ? .standardOutput : .standardError
            try file.write(contentsOf: Data(text.utf8))
        }
    }

    func print(_ line: String = "") { write(line + "\n", to: .output) }

    func print(_ lines: [String]) {
        for line in lines { print(line) }
    }

    func print(_ table: Table) { print(table.lines(marked: showsMarks)) }

    /// Prints a line about the work.
    func say(_ line: String) { write(line + "\n", to: .messages) }

    /// Prints what went wrong. A message may quote a file, so nothing in it steers the terminal.
    func complain(_ error: any Error, as program: String? = nil) {
        complain("\(error)", as: program)
    }

    /// The same of an error's text.
    func complain(_ error: String, as program: String? = nil) {
        let text = (program.map { "\($0): " } ?? "") + error
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            say(String(line).printable)
        }
    }

    func write(_ text: String, to channel: Channel) {
        guard channel == .messages || failure == nil else { return }
        do {
            try send(channel, text)
        } catch {
            // A message that cannot be written cannot be reported either.
            if channel == .output { failure = error }
        }
    }
}

extension String {
    /// This on one line, without characters that steer a terminal: a song's title must not be
    /// able to move the cursor.
    var printable: String {
        String(String.UnicodeScalarView(unicodeScalars.map { Self.steers($0) ? "\u{FFFD}" : $0 }))
    }

    private static func steers(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7F...0x9F: true
        // Line and paragraph separators, and marks that turn the direction of what follows.
        case 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}
