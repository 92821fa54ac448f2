/// Rows under a heading, with columns that line up.
struct Table {
    enum Alignment: Sendable { case left, right }

    struct Column: Sendable {
        var heading: String
        var alignment = Alignment.left
        /// May be cut where the table is too wide for the terminal, and left out where it still is,
        /// the last such column first. The first one stays.
        var canShrink = false
    }

    private static let gap = "  "
    /// A column that can shrink keeps at least this many columns of the terminal.
    private static let narrowest = 8

    let columns: [Column]
    private(set) var rows: [[String]] = []

    init(_ columns: [Column]) {
        self.columns = columns
    }

    /// Adds a row with one cell a column.
    mutating func append(_ cells: [String]) {
        precondition(cells.count == columns.count, "A row needs one cell a column.")
        rows.append(cells.map(DisplayWidth.printable))
    }

    /// The lines of the table, heading first, none of them ended with spaces.
    ///
    /// - Parameter limit: columns of the terminal; `nil` if there is none to fit.
    func lines(within limit: Int? = nil) -> [String] {
        let widths = widths(within: limit)
        if let limit, Self.total(widths) > limit, let table = withoutLastThatMayGo {
            return table.lines(within: limit)
        }
        let heading = columns.map(\.heading)
        let rule = widths.map { String(repeating: "-", count: $0) }
        return ([heading, rule] + rows).map { line($0, widths: widths) }
    }

    private var withoutLastThatMayGo: Table? {
        let places = columns.indices.filter { columns[$0].canShrink }.dropFirst()
        guard let place = places.last else { return nil }
        var kept = columns
        kept.remove(at: place)
        var table = Table(kept)
        table.rows = rows.map { row in
            var row = row
            row.remove(at: place)
            return row
        }
        return table
    }

    private static func total(_ widths: [Int]) -> Int {
        widths.reduce(0, +) + gap.count * (widths.count - 1)
    }

    private func widths(within limit: Int?) -> [Int] {
        var widths = columns.map { DisplayWidth.columns(of: $0.heading) }
        for row in rows {
            for (index, cell) in row.enumerated() {
                widths[index] = max(widths[index], DisplayWidth.columns(of: cell))
            }
        }
        guard let limit else { return widths }
        var excess = Self.total(widths) - limit
        while excess > 0 {
            let shrinkable = widths.indices.filter {
                columns[$0].canShrink && widths[$0] > Self.narrowest
            }
            guard let widest = shrinkable.max(by: { widths[$0] < widths[$1] }) else { break }
            widths[widest] -= 1
            excess -= 1
        }
        return widths
    }

    private func line(_ cells: [String], widths: [Int]) -> String {
        var line = ""
        for (index, cell) in cells.enumerated() {
            let column = columns[index]
            let width = widths[index]
            let text = column.canShrink ? DisplayWidth.fitted(cell, to: width) : cell
            let spaces = max(0, width - DisplayWidth.columns(of: text))
            let padding = String(repeating: " ", count: spaces)
            if index > 0 { line += Self.gap }
            line += column.alignment == .left ? text + padding : padding + text
        }
        while line.last == " " { line.removeLast() }
        return line
    }
}
