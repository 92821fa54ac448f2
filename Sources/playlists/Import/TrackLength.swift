/// Playing times as programs write them.
enum TrackLength {
    /// Seconds from `225`, `224.6` (rounded), `3:45` or `1:02:03`; `nil` if the text is none of
    /// these, or more than a `UInt32` holds.
    static func seconds(from text: String) -> UInt32? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        if parts.count == 1 { return rounded(text, thousandths: 1) }
        guard parts.count <= 3 else { return nil }
        var total: UInt64 = 0
        for (index, part) in parts.enumerated() {
            guard let number = digits(part), index == 0 || number < 60 else { return nil }
            total = total * 60 + UInt64(number)
        }
        return UInt32(exactly: total)
    }

    /// Seconds from a number of milliseconds, rounded.
    static func seconds(fromMilliseconds text: String) -> UInt32? {
        rounded(text, thousandths: 1000)
    }

    private static func rounded(_ text: String, thousandths divisor: Double) -> UInt32? {
        let isPlain = text.utf8.allSatisfy { byte in
            byte == UInt8(ascii: ".") || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
        }
        guard isPlain, let number = Double(text) else { return nil }
        return UInt32(exactly: (number / divisor).rounded())
    }

    private static func digits(_ text: Substring) -> UInt32? {
        text.utf8.first == UInt8(ascii: "+") ? nil : UInt32(text)
    }
}
