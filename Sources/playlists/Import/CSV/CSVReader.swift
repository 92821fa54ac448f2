/// Cuts a table of comma-separated values into rows, by RFC 4180.
///
/// Quoted fields may hold separators, line ends and doubled quotes. A quote inside an unquoted
/// field stands for itself (`12" mix`). The separator is the comma, or the semicolon or tab if
/// the first line has more of them.
struct CSVReader: Sendable {
    struct Row: Hashable, Sendable {
        var fields: [String]
        /// The byte at which the row begins.
        var offset: Int
    }

    let source: ImportSource
    private(set) var position: Int
    private let separator: UInt8

    init(_ source: ImportSource) throws(ImportError) {
        self.source = source
        position = try source.startOfText()
        separator = Self.separator(of: source.bytes)
    }

    /// The next row, or `nil` at the end. Empty lines are passed over.
    ///
    /// - Throws: an open quote is ``ImportError/Problem/truncated(inside:)`` at the line where it
    ///   was opened; text behind a closing quote is malformed; invalid UTF-8.
    mutating func nextRow() throws(ImportError) -> Row? {
        while position < source.bytes.count, isNewline(source.bytes[position]) { position += 1 }
        guard position < source.bytes.count else { return nil }
        var row = Row(fields: [], offset: position)
        while true {
            row.fields.append(try readField())
            guard position < source.bytes.count, source.bytes[position] == separator else {
                return row
            }
            position += 1
        }
    }

    private mutating func readField() throws(ImportError) -> String {
        guard position < source.bytes.count, source.bytes[position] == UInt8(ascii: "\"") else {
            let start = position
            while position < source.bytes.count, !endsField(source.bytes[position]) {
                position += 1
            }
            return try source.text(start..<position)
        }
        return try readQuotedField()
    }

    private mutating func readQuotedField() throws(ImportError) -> String {
        let opening = position
        var text = ""
        position += 1
        while true {
            let start = position
            while position < source.bytes.count, source.bytes[position] != UInt8(ascii: "\"") {
                position += 1
            }
            guard position < source.bytes.count else {
                throw source.error(.truncated(inside: "a quoted field"), at: opening)
            }
            text += try source.text(start..<position)
            position += 1
            guard position < source.bytes.count else { return text }
            if source.bytes[position] == UInt8(ascii: "\"") {
                text += "\""
                position += 1
            } else if endsField(source.bytes[position]) {
                return text
            } else {
                let problem = ImportError.Problem.malformed(
                    expected: "the end of a field after its closing quote", found: "text")
                throw source.error(problem, at: position)
            }
        }
    }

    private func endsField(_ byte: UInt8) -> Bool { byte == separator || isNewline(byte) }

    private func isNewline(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r")
    }

    private static func separator(of bytes: [UInt8]) -> UInt8 {
        var counts: [UInt8: Int] = [:]
        for byte in bytes {
            if byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") { break }
            counts[byte, default: 0] += 1
        }
        var best = UInt8(ascii: ",")
        for other in [UInt8(ascii: ";"), UInt8(ascii: "\t")]
        where counts[other, default: 0] > counts[best, default: 0] {
            best = other
        }
        return best
    }
}
