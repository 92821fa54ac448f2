import CabinetBackend

/// The name of a run's file in the store's directory: the table's name, a dot, the commit before
/// the run's first and its last commit as 16 lower-case hexadecimal digits each with a hyphen
/// between them, and `.run`.
///
/// What precedes the last 38 bytes is the table's name, whatever it consists of.
struct RunName: Hashable {
    var table: String
    var span: CommitSpan

    private static let suffix = ".run"
    private static let digits = 16
    /// What follows the table's name: a dot, both numbers and the suffix.
    private static let tail = 1 + 2 * digits + 1 + 4

    init(table: String, span: CommitSpan) {
        self.table = table
        self.span = span
    }

    /// The table and the commits of a file name. `nil`: it is no run's, or that of no commits.
    init?(fileName: String) {
        let bytes = Array(fileName.utf8)
        guard bytes.count > Self.tail, fileName.hasSuffix(Self.suffix) else { return nil }
        let tail = bytes.suffix(Self.tail)
        let first = tail.startIndex + 1
        let second = first + Self.digits + 1
        guard tail[tail.startIndex] == UInt8(ascii: "."), tail[second - 1] == UInt8(ascii: "-"),
            let from = Self.number(tail[first..<first + Self.digits]),
            let to = Self.number(tail[second..<second + Self.digits]), from < to,
            let table = String(validating: bytes.dropLast(Self.tail), as: UTF8.self)
        else { return nil }
        self.table = table
        span = CommitSpan(from: CommitNumber(from), to: CommitNumber(to))
    }

    var fileName: String {
        "\(table).\(Self.hex(span.from.rawValue))-\(Self.hex(span.to.rawValue))\(Self.suffix)"
    }

    private static func hex(_ number: UInt64) -> String {
        let text = String(number, radix: 16)
        return String(repeating: "0", count: digits - text.utf8.count) + text
    }

    private static func number(_ digits: ArraySlice<UInt8>) -> UInt64? {
        var number: UInt64 = 0
        for digit in digits {
            switch digit {
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                number = number << 4 | UInt64(digit - UInt8(ascii: "0"))
            case UInt8(ascii: "a")...UInt8(ascii: "f"):
                number = number << 4 | UInt64(digit - UInt8(ascii: "a") + 10)
            default: return nil
            }
        }
        return number
    }
}
