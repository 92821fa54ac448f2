import Foundation

/// Where the program writes: what was asked for to `output`, what is said about it to
/// `messages`.
///
/// Not `Sendable`: it belongs to the one task that runs the commands.
final class Console {
    enum Channel: Sendable { case output, messages }

    /// The system's number for the first write of output that failed; later ones are not tried.
    private(set) var failure: Int32?
    private let send: (Channel, String) -> Int32

    /// - Parameter send: writes the text, and returns 0 or the system's error number.
    init(send: @escaping (Channel, String) -> Int32) {
        self.send = send
    }

    /// The process's own standard output and standard error.
    static func standard() -> Console {
        Console(
            send: { channel, text in
                writeAll(text, to: channel == .output ? STDOUT_FILENO : STDERR_FILENO)
            })
    }

    /// Prints a line of output.
    func print(_ line: String = "") { write(line + "\n", to: .output) }

    func print(_ lines: [String]) {
        for line in lines { print(line) }
    }

    /// Prints a line about the work.
    func say(_ line: String) { write(line + "\n", to: .messages) }

    /// Prints what went wrong. A message may quote a file, so nothing in it steers the terminal.
    func complain(_ error: any Error, as program: String? = nil) {
        let text = (program.map { "\($0): " } ?? "") + "\(error)"
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            say(String(line).printable)
        }
    }

    func write(_ text: String, to channel: Channel) {
        guard channel == .messages || failure == nil else { return }
        let code = send(channel, text)
        if channel == .output, code != 0 { failure = code }
    }
}

/// Stands outside of the class because `write` means another function there.
///
/// - Returns: 0, or the system's number for what went wrong.
private func writeAll(_ text: String, to descriptor: Int32) -> Int32 {
    var text = text
    return text.withUTF8 { bytes in
        guard let start = bytes.baseAddress else { return 0 }
        var done = 0
        while done < bytes.count {
            let count = write(descriptor, start + done, bytes.count - done)
            if count >= 0 {
                done += count
            } else if errno != EINTR {
                return errno
            }
        }
        return 0
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
