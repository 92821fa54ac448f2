/// Rows under a heading, with columns that line up where each character takes one place.
struct Table {
    enum Alignment: Sendable { case left, right }

    struct Column: Sendable {
        var heading: String
        var alignment = Alignment.left
    }

    private static let gap = "  "

    let columns: [Column]
    private(set) var rows: [[String]] = []

    init(_ columns: [Column]) {
        self.columns = columns
    }

    /// Adds a row with one cell a column.
    mutating func append(_ cells: [String]) {
        precondition(cells.count == columns.count, "A row needs one cell a column.")
        rows.append(cells.map(\.printable))
    }

    /// The lines of the table, heading first, none of them ended with spaces.
    var lines: [String] {
        let heading = columns.map(\.heading)
        let widths = columns.indices.map { index in
            ([heading] + rows).map { $0[index].count }.max() ?? 0
        }
        let rule = widths.map { String(repeating: "-", count: $0) }
        return ([heading, rule] + rows).map { line($0, widths) }
    }

    private func line(_ cells: [String], _ widths: [Int]) -> String {
        let padded = cells.indices.map { index in
            let padding = String(repeating: " ", count: widths[index] - cells[index].count)
            return columns[index].alignment == .left
                ? cells[index] + padding : padding + cells[index]
        }
        var line = padded.joined(separator: Self.gap)
        while line.last == " " { line.removeLast() }
        return line
    }
}
