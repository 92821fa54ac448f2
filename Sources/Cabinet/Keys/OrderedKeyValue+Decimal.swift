import Foundation

// A decimal number is 0.d1d2d3... × 10^e, without zeros before d1 and behind the last digit: then
// numbers of one sign are in the order of e, and of the digits. The tag is followed by e, with the
// sign in it, as two bytes: below 0x8000 for negative numbers, 0x8000 alone for zero, 0xFFFF alone for
// NaN. The digits come in pairs, each one byte: twice the pair, plus 1 if more follow, so that a
// number comes before those that go on. Negative numbers have the complement of all of it. The form
// of the digits is that of SQLite 4's keys.
extension Decimal: OrderedKeyValue {
    private static let zero: UInt16 = 0x8000
    private static let notANumber: UInt16 = 0xFFFF
    /// More than any exponent, so that a biased one is above 0.
    private static let bias = 512

    /// Appends at most 23 bytes. Equal numbers have equal keys (1.10 and 1.1); NaN is last.
    public func write(to key: inout OrderedKeyBuilder) {
        guard !isNaN else {
            key.append(tag: KeyTag.decimal, UInt64(Self.notANumber), length: 2)
            return
        }
        DecimalSignificand.withDigits(of: DecimalSignificand.value(of: self)) {
            write($0, to: &key)
        }
    }

    private func write(_ digits: UnsafeBufferPointer<UInt8>, to key: inout OrderedKeyBuilder) {
        guard let last = digits.lastIndex(where: { $0 > 0 }) else {
            key.append(tag: KeyTag.decimal, UInt64(Self.zero), length: 2)
            return
        }
        let biased = UInt16(exponent + digits.count + Self.bias)
        let isNegative = sign == .minus
        let head = isNegative ? Self.zero - biased : Self.zero + biased
        key.append(tag: KeyTag.decimal, UInt64(head), length: 2)
        for index in stride(from: 0, through: last, by: 2) {
            let pair = digits[index] * 10 + (index < last ? digits[index + 1] : 0)
            let byte = pair * 2 + (index + 2 <= last ? 1 : 0)
            key.appendByte(isNegative ? ~byte : byte)
        }
    }

    public static func read(from key: inout OrderedKeyReader) throws(OrderedKeyError) -> Decimal {
        let start = key.position
        try key.expect(KeyTag.decimal, for: "Decimal")
        let head = UInt16(try key.readBits(2))
        if head == zero { return 0 }
        if head == notANumber { return .nan }
        let isNegative = head < zero
        let exponent = Int(isNegative ? zero - head : head - zero) - bias
        var text = isNegative ? "-" : ""
        var digits = 0
        var goesOn = true
        while goesOn {
            let byte = isNegative ? ~(try key.readByte()) : try key.readByte()
            goesOn = byte & 1 == 1
            let pair = byte >> 1
            guard pair < 100, digits > 0 || pair >= 10, goesOn || pair > 0, digits < mostDigits
            else {
                throw .invalidValue(type: "Decimal", offset: start)
            }
            // A last digit of 0 is not written: it fills the pair.
            let isHalf = !goesOn && pair % 10 == 0
            text += isHalf ? "\(pair / 10)" : pair < 10 ? "0\(pair)" : "\(pair)"
            digits += isHalf ? 1 : 2
        }
        // Beyond the highest exponent the number has zeros at the end.
        let excess = max(exponent - digits - highestExponent, 0)
        guard digits + excess <= mostDigits, exponent - digits >= -128,
            let value = Decimal(
                string: text + String(repeating: "0", count: excess)
                    + "e\(exponent - digits - excess)",
                locale: Locale(identifier: "en_US_POSIX"))
        else { throw .invalidValue(type: "Decimal", offset: start) }
        return value
    }

    /// The digits of 2^128.
    private static let mostDigits = 39
    private static let highestExponent = 127
}
