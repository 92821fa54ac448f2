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
        var fileName = fileName
        let found = fileName.withUTF8 { bytes -> (length: Int, span: CommitSpan)? in
            let length = bytes.count - Self.tail
            let second = length + 1 + Self.digits + 1
            guard length > 0, bytes[length] == UInt8(ascii: "."),
                bytes[second - 1] == UInt8(ascii: "-"),
                bytes[(second + Self.digits)...].elementsEqual(Self.suffix.utf8),
                let from = Self.number(bytes[length + 1..<second - 1]),
                let to = Self.number(bytes[second..<second + Self.digits]), from < to
            else { return nil }
            return (length, CommitSpan(from: CommitNumber(from), to: CommitNumber(to)))
        }
        guard let found else { return nil }
        table = String(Substring(fileName.utf8.prefix(found.length)))
        span = found.span
    }

    /// The table's number, which ends its name behind a dot. `nil`: there is none.
    var tableNumber: TableNumber? {
        var number: UInt32 = 0
        var unit: UInt32 = 1
        var last: UInt8 = 0
        for byte in table.utf8.reversed() {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                guard unit <= 10_000 else { return nil }
                number += UInt32(byte - UInt8(ascii: "0")) * unit
                unit *= 10
                last = byte
            case UInt8(ascii: "."):
                // As a number is written: no zeros before it.
                guard unit == 10 || unit > 10 && last != UInt8(ascii: "0") else { return nil }
                return UInt16(exactly: number).map { TableNumber($0) }
            default: return nil
            }
        }
        return nil
    }

    var fileName: String {
        "\(table).\(Self.hex(span.from.rawValue))-\(Self.hex(span.to.rawValue))\(Self.suffix)"
    }

    private static func hex(_ number: UInt64) -> String {
        let text = String(number, radix: 16)
        return String(repeating: "0", count: digits - text.utf8.count) + text
    }

    private static func number(_ digits: Slice<UnsafeBufferPointer<UInt8>>) -> UInt64? {
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
