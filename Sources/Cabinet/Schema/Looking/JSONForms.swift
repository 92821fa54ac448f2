import Foundation

/// Points in time as JSON: ISO 8601 in UTC with as many digits behind the seconds as it takes to
/// read the same value again, or seconds since 2001 outside the years that the calendar names.
enum JSONDate {
    /// The seconds since 2001 at which the years 1583, the first whole one of the calendar, and
    /// 10,000 begin.
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
            let whole = try? Date("\(first)Z", strategy: Date.ISO8601FormatStyle())
        else { return nil }
        guard parts.count == 2 else { return whole }
        guard !parts[1].isEmpty, parts[1].utf8.allSatisfy({ 0x30...0x39 ~= $0 }),
            let fraction = Double("0.\(parts[1])")
        else { return nil }
        return Date(
            timeIntervalSinceReferenceDate: whole.timeIntervalSinceReferenceDate + fraction)
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
