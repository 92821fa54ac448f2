/// Row numbers as decimal text: the keys of record tables, which Tokyo Cabinet's hash spreads
/// well and a person can read.
public enum DecimalKey {
    /// The most digits that a row has.
    public static let longest = 10

    /// Writes the digits of `row`, which begin at the returned offset and end at `longest`.
    @inlinable @inline(__always)
    public static func write(_ row: RowID, to text: UnsafeMutablePointer<UInt8>) -> Int {
        var rest = row.rawValue
        var start = longest
        repeat {
            let (quotient, digit) = rest.quotientAndRemainder(dividingBy: 10)
            start &-= 1
            text[start] = UInt8(truncatingIfNeeded: digit) &+ 0x30
            rest = quotient
        } while rest > 0
        return start
    }

    /// The row that `text` stands for: digits alone, no leading zero, within a row's range.
    @inlinable
    public static func row(of text: UnsafeRawBufferPointer) -> RowID? {
        guard text.count >= 1, text.count <= longest, text[0] != 0x30 else { return nil }
        var value: UInt64 = 0
        for digit in text {
            guard digit >= 0x30, digit <= 0x39 else { return nil }
            value = value &* 10 &+ UInt64(digit &- 0x30)
        }
        return UInt32(exactly: value).map(RowID.init(rawValue:))
    }
}
