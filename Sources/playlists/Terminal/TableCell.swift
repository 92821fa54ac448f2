/// A text in a table, with parts that a terminal shows bold and underlined.
struct TableCell: Hashable {
    /// The text without characters that steer a terminal.
    let plain: String
    /// The same with the parts marked for a terminal.
    let marked: String

    init(_ text: String) {
        plain = text.printable
        marked = plain
    }

    /// - Parameter ranges: the parts, in ascending order and without overlaps.
    init(_ text: String, marking ranges: [Range<String.Index>]) {
        var marked = ""
        var end = text.startIndex
        for range in ranges where !range.isEmpty {
            marked += String(text[end..<range.lowerBound]).printable
            marked += Self.begin + String(text[range]).printable + Self.end
            end = range.upperBound
        }
        plain = text.printable
        self.marked = marked + String(text[end...]).printable
    }

    /// Bold and underlined, and neither (ECMA-48, "select graphic rendition").
    private static let (begin, end) = ("\u{1B}[1;4m", "\u{1B}[22;24m")
}
