/// Rows under headings, with columns that line up where each character takes one cell.
struct Table {
    private let headings: [String]
    private let right: Set<String>
    private var rows: [[String]] = []

    /// - Parameter right: the headings of the columns that are aligned to the right.
    init(_ headings: [String], right: Set<String>) {
        self.headings = headings
        self.right = right
    }

    /// Adds a row with one cell a column.
    mutating func append(_ cells: [String]) {
        precondition(cells.count == headings.count, "A row needs one cell a column.")
        rows.append(cells.map(\.printable))
    }

    /// The lines of the table, headings first, none of them ended with spaces; none without a row.
    var lines: [String] {
        if rows.isEmpty { return [] }
        let widths = headings.indices.map { index in
            ([headings] + rows).map { $0[index].count }.max() ?? 0
        }
        let rule = widths.map { String(repeating: "-", count: $0) }
        return ([headings, rule] + rows).map { line($0, widths) }
    }

    private func line(_ cells: [String], _ widths: [Int]) -> String {
        let padded = cells.indices.map { index in
            let gap = String(repeating: " ", count: widths[index] - cells[index].count)
            return right.contains(headings[index]) ? gap + cells[index] : cells[index] + gap
        }
        let line = padded.joined(separator: "  ")
        return String(line.reversed().drop { $0 == " " }.reversed())
    }
}
