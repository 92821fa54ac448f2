/// Rows under headings, with columns that line up where each character takes one cell.
struct Table {
    private let headings: [String]
    private let right: Set<String>
    private var rows: [[TableCell]] = []

    /// - Parameter right: the headings of the columns that are aligned to the right.
    init(_ headings: [String], right: Set<String>) {
        self.headings = headings
        self.right = right
    }

    mutating func append(_ cells: [TableCell]) {
        precondition(cells.count == headings.count, "A row needs one cell a column.")
        rows.append(cells)
    }

    mutating func append(_ cells: [String]) { append(cells.map { TableCell($0) }) }

    /// The lines of the table, headings first, none of them ended with spaces; none without a row.
    ///
    /// - Parameter marked: whether a terminal shows them, which knows marks.
    func lines(marked: Bool = false) -> [String] {
        if rows.isEmpty { return [] }
        let widths = headings.indices.map { index in
            max(headings[index].count, rows.map { $0[index].plain.count }.max() ?? 0)
        }
        let rule = widths.map { TableCell(String(repeating: "-", count: $0)) }
        return ([headings.map { TableCell($0) }, rule] + rows).map { line($0, widths, marked) }
    }

    private func line(_ cells: [TableCell], _ widths: [Int], _ marked: Bool) -> String {
        let padded = cells.indices.map { index in
            let cell = cells[index]
            let gap = String(repeating: " ", count: widths[index] - cell.plain.count)
            let text = marked ? cell.marked : cell.plain
            return right.contains(headings[index]) ? gap + text : text + gap
        }
        let line = padded.joined(separator: "  ")
        return String(line.reversed().drop { $0 == " " }.reversed())
    }
}
