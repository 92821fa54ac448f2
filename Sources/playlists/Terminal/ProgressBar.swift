/// A bar that fills up on one line of a terminal, and says nothing anywhere else.
struct ProgressBar {
    private static let cells = 30

    private let console: Console
    private let label: String
    private var shown = -1

    /// - Parameter label: what is being done, as short as `Importing Library.xml`.
    init(_ label: String, on console: Console) {
        self.console = console
        self.label = DisplayWidth.fitted(DisplayWidth.printable(label), to: 40)
    }

    /// Shows `done` of `total`. Writes only when the percentage changes.
    mutating func update(_ done: Int, of total: Int) {
        guard console.messagesAreSeen else { return }
        let part = total > 0 ? min(max(Double(done) / Double(total), 0), 1) : 1
        let percent = Int(part * 100)
        guard percent != shown else { return }
        shown = percent
        let filled = Int(part * Double(Self.cells))
        let bar =
            String(repeating: "█", count: filled)
            + String(repeating: "·", count: Self.cells - filled)
        let number = String(repeating: " ", count: 3 - String(percent).count) + "\(percent)"
        console.write("\r\(label) \(bar) \(number) %", to: .messages)
    }

    /// Takes the bar away, so that what is printed next begins on a clean line.
    mutating func clear() {
        guard shown >= 0 else { return }
        shown = -1
        console.write("\r\u{1B}[K", to: .messages)
    }
}
