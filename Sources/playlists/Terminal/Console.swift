import Foundation

/// Where the program writes: what was asked for to `output`, what is said about it to
/// `messages`.
///
/// Not `Sendable`: it belongs to the one task that runs the commands.
final class Console {
    enum Channel: Sendable { case output, messages }

    /// Whether a person watches the messages.
    let messagesAreSeen: Bool
    /// The width of the terminal that shows the output; `nil` if it goes to a file or a pipe.
    let columns: Int?
    /// The system's number for the first write of output that failed; later ones are not tried.
    private(set) var failure: Int32?
    private let send: (Channel, String) -> Int32

    /// - Parameter send: writes the text, and returns 0 or the system's error number.
    init(
        messagesAreSeen: Bool, columns: Int?, send: @escaping (Channel, String) -> Int32
    ) {
        self.messagesAreSeen = messagesAreSeen
        self.columns = columns
        self.send = send
    }

    /// The process's own standard output and standard error.
    static func standard() -> Console {
        Console(
            messagesAreSeen: isatty(STDERR_FILENO) == 1,
            columns: isatty(STDOUT_FILENO) == 1 ? widthOfTerminal() : nil,
            send: { channel, text in
                writeAll(text, to: channel == .output ? STDOUT_FILENO : STDERR_FILENO)
            })
    }

    /// Prints a line of output.
    func print(_ line: String = "") { write(line + "\n", to: .output) }

    /// Prints a line about the work.
    func say(_ line: String) { write(line + "\n", to: .messages) }

    /// Prints what went wrong. A message may quote a file, so nothing in it steers the terminal.
    func complain(_ error: any Error, as program: String? = nil) {
        let text = (program.map { "\($0): " } ?? "") + "\(error)"
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            say(DisplayWidth.printable(String(line)))
        }
    }

    func write(_ text: String, to channel: Channel) {
        guard channel == .messages || failure == nil else { return }
        let code = send(channel, text)
        if channel == .output, code != 0 { failure = code }
    }

    private static func widthOfTerminal() -> Int {
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else {
            return 80
        }
        return Int(size.ws_col)
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

/// Output collected into pieces of 64 KiB, for exports. Call `flush()` at the end.
struct BufferedOutput: TextOutputStream {
    private static let limit = 1 << 16

    private let console: Console
    private var pending = ""

    init(_ console: Console) {
        self.console = console
    }

    mutating func write(_ text: String) {
        pending += text
        if pending.utf8.count >= Self.limit { flush() }
    }

    mutating func flush() {
        console.write(pending, to: .output)
        pending.removeAll(keepingCapacity: true)
    }
}
