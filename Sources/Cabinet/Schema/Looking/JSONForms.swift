import Foundation

/// Points in time as JSON: ISO 8601 in UTC with as many digits behind the seconds as it takes to
/// read the same value again, or seconds since 2001 outside the years that the calendar names.
enum JSONDate {
    /// The seconds since 2001 at which 1583, the calendar's first whole year, and 10,000 begin.
    private static let namedYears = -13_190_860_800.0..<252_423_993_600.0

    static func json(of date: Date) -> JSONValue {
        let seconds = date.timeIntervalSinceReferenceDate
        guard namedYears.contains(seconds), let text = text(of: seconds) else {
            return FieldValue.double(seconds).json
        }
        return .text(text)
    }

    private static func text(of seconds: Double) -> String? {
        let whole = seconds.rounded(.down)
        let text = Date(timeIntervalSinceReferenceDate: whole).formatted(Date.ISO8601FormatStyle())
        let fraction = seconds - whole
        if fraction == 0 { return text }
        for count in stride(from: 3, through: 18, by: 3) {
            let digits = String(format: "%.\(count)f", fraction).dropFirst(2)
            if whole + (Double("0.\(digits)") ?? 0) == seconds {
                return "\(text.dropLast()).\(digits)Z"
            }
        }
        return nil
    }

    /// The date that ``json(of:)`` made such a text of; `nil` for any other text.
    static func date(of text: String) -> Date? {
        guard text.utf8.count <= 64, text.hasSuffix("Z") else { return nil }
        let parts = text.dropLast().split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count <= 2, let first = parts.first,
            let whole = seconds(of: Array(first.utf8)), namedYears.contains(whole)
        else { return nil }
        guard parts.count == 2 else { return Date(timeIntervalSinceReferenceDate: whole) }
        guard !parts[1].isEmpty, parts[1].utf8.allSatisfy({ 0x30...0x39 ~= $0 }),
            let fraction = Double("0.\(parts[1])")
        else { return nil }
        return Date(timeIntervalSinceReferenceDate: whole + fraction)
    }

    /// Whether day and time are on the calendar: Foundation takes 30 February for 1 March.
    static func isOnCalendar(_ text: String) -> Bool {
        let digits = Array(text.utf8.prefix(19))
        switch digits.count {
        case 19: return seconds(of: digits) != nil
        case 10: return seconds(of: digits + "T00:00:00".utf8) != nil
        default: return false
        }
    }

    /// The seconds since 2001 of a text like `2026-02-28T23:59:59`; `nil` for any other text.
    private static func seconds(of text: [UInt8]) -> Double? {
        guard text.count == 19, text[4] == 0x2D, text[7] == 0x2D, text[10] == 0x54,
            text[13] == 0x3A, text[16] == 0x3A, let year = number(text[0..<4]),
            let month = number(text[5..<7]), let day = number(text[8..<10]),
            let hour = number(text[11..<13]), let minute = number(text[14..<16]),
            let second = number(text[17..<19])
        else { return nil }
        let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        let lengths = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        guard 1...12 ~= month, 1...lengths[month - 1] ~= day, hour < 24, minute < 60, second < 60
        else { return nil }
        // Days from the first of January of year 0 of the Gregorian calendar to that of 2001.
        let before = (365 * year + (year + 3) / 4 - (year + 99) / 100 + (year + 399) / 400)
        let days = before - 730_851 + lengths[..<(month - 1)].reduce(0, +) + day - 1
        return Double(days * 86_400 + hour * 3600 + minute * 60 + second)
    }

    private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
        var value = 0
        for digit in digits {
            guard 0x30...0x39 ~= digit else { return nil }
            value = value * 10 + Int(digit - 0x30)
        }
        return value
    }
}

/// Bytes as hexadecimal text, two digits each.
enum JSONBytes {
    private static let digits = Array("0123456789abcdef".utf8)

    static func text(of bytes: Data) -> String {
        String(unsafeUninitializedCapacity: bytes.count * 2) { text in
            for (index, byte) in bytes.enumerated() {
                text[2 * index] = digits[Int(byte >> 4)]
                text[2 * index + 1] = digits[Int(byte & 15)]
            }
            return bytes.count * 2
        }
    }

    /// The bytes that ``text(of:)`` made such a text of; `nil` for any other text.
    static func bytes(of text: String) -> Data? {
        var text = text
        return text.withUTF8 { text in
            guard text.count.isMultiple(of: 2) else { return nil }
            var bytes = Data(capacity: text.count / 2)
            for index in stride(from: 0, to: text.count, by: 2) {
                guard let high = value(text[index]), let low = value(text[index + 1]) else {
                    return nil
                }
                bytes.append(high << 4 | low)
            }
            return bytes
        }
    }

    private static func value(_ digit: UInt8) -> UInt8? {
        switch digit {
        case 0x30...0x39: digit - 0x30
        case 0x41...0x46: digit - 0x41 + 10
        case 0x61...0x66: digit - 0x61 + 10
        default: nil
        }
    }
}
