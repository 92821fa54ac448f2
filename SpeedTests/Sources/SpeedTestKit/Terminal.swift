import Foundation

/// How figures and progress look on a terminal.
enum Terminal {
    private static let isInteractive = isatty(STDERR_FILENO) == 1

    /// Three digits and a unit: `1.23 s`, `45.6 ms`, `789 ns`.
    static func time(_ seconds: Double) -> String {
        switch seconds {
        case 1...: digits(seconds) + " s"
        case 1e-3...: digits(seconds * 1e3) + " ms"
        case 1e-6...: digits(seconds * 1e6) + " µs"
        default: digits(seconds * 1e9) + " ns"
        }
    }

    static func size(_ bytes: UInt64) -> String { digits(Double(bytes) / 1e6) + " MB" }

    static func ratio(_ value: Double) -> String { String(format: "%.2f", value) + " ×" }

    private static func digits(_ value: Double) -> String {
        String(format: value < 10 ? "%.2f" : value < 100 ? "%.1f" : "%.0f", value)
    }

    static func complain(_ text: String) { write(text + "\n") }

    /// A line that the next one replaces; nothing if standard error is no terminal.
    static func progress(_ text: String) {
        guard isInteractive else { return }
        write("\r\u{1B}[K\(text)")
    }

    private static func write(_ text: String) { FileHandle.standardError.write(Data(text.utf8)) }

    static func padded(_ text: String, _ width: Int, left: Bool = false) -> String {
        let space = String(repeating: " ", count: max(0, width - text.count))
        return left ? text + space : space + text
    }
}
