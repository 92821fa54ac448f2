// Integers of all widths share one form, so a field that is widened keeps its keys: a tag that says
// sign and count of bytes, then the low bytes of the value in two's complement, as few as its
// magnitude needs. Among values of one tag the bytes have the order of the values, as the higher
// bytes are all equal; and a value that needs more bytes is farther from zero. -1 and 0 are a tag
// alone. (FoundationDB's tuple layer has the same tags with other bytes for negative values.)

extension OrderedKeyValue where Self: FixedWidthInteger {
    @inline(__always)
    public func write(to key: inout OrderedKeyBuilder) {
        if Self.bitWidth <= 64 {
            let negative = self < 0
            let low = UInt64(truncatingIfNeeded: self)
            let magnitude = negative ? ~low : low
            key.appendInteger(low, magnitude, negative)
        } else {
            key.appendLarge(UInt128(truncatingIfNeeded: self), isNegative: self < 0)
        }
    }

    /// Reads an integer that was written as one of any width.
    /// - Throws: ``OrderedKeyError``, also if the type has no such value.
    public static func read(from key: inout OrderedKeyReader) throws(OrderedKeyError) -> Self {
        let start = key.position
        let (bits, isNegative) = try key.readInteger(type: "\(Self.self)")
        let value =
            isNegative
            ? Self(exactly: Int128(truncatingIfNeeded: bits)) : Self(exactly: bits)
        guard let value else { throw .invalidValue(type: "\(Self.self)", offset: start) }
        return value
    }
}

extension OrderedKeyBuilder {
    @inline(__always)
    mutating func appendInteger(_ low: UInt64, _ magnitude: UInt64, _ isNegative: Bool) {
        let length = (71 &- magnitude.leadingZeroBitCount) >> 3
        let count = UInt8(truncatingIfNeeded: length)
        let tag = isNegative ? KeyTag.negative &- count : KeyTag.positive &+ count
        append(tag: tag, low, length: length)
    }

    mutating func appendLarge(_ bits: UInt128, isNegative: Bool) {
        let magnitude = isNegative ? ~bits : bits
        guard magnitude > UInt64.max else {
            appendInteger(
                UInt64(truncatingIfNeeded: bits), UInt64(truncatingIfNeeded: magnitude), isNegative)
            return
        }
        let length = UInt8((135 - magnitude.leadingZeroBitCount) >> 3)
        appendByte(isNegative ? KeyTag.negative - length : KeyTag.positive + length)
        for index in (0..<length).reversed() {
            appendByte(UInt8(truncatingIfNeeded: bits >> (8 * UInt128(index))))
        }
    }

    /// Appends a floating-point value: the bits of its `Double`, all of them inverted if it is
    /// negative, the sign alone otherwise, which brings IEEE 754's formats into the order of their
    /// values. -0 becomes 0, and each NaN the one with the highest bits.
    @inline(__always)
    mutating func append(tag: UInt8, _ value: Double) {
        var bits = (value == 0 ? 0 : value).bitPattern
        bits = bits >> 63 == 0 ? bits | 1 << 63 : ~bits
        append(tag: tag, value.isNaN ? .max : bits, length: 8)
    }
}

extension Int: OrderedKeyValue {}
extension Int8: OrderedKeyValue {}
extension Int16: OrderedKeyValue {}
extension Int32: OrderedKeyValue {}
extension Int64: OrderedKeyValue {}
extension Int128: OrderedKeyValue {}
extension UInt: OrderedKeyValue {}
extension UInt8: OrderedKeyValue {}
extension UInt16: OrderedKeyValue {}
extension UInt32: OrderedKeyValue {}
extension UInt64: OrderedKeyValue {}
extension UInt128: OrderedKeyValue {}

extension Double: OrderedKeyValue {
    /// Appends 9 bytes. -0 is written as 0; all NaNs are equal and come after infinity.
    public func write(to key: inout OrderedKeyBuilder) { key.append(tag: KeyTag.float, self) }

    public static func read(from key: inout OrderedKeyReader) throws(OrderedKeyError) -> Double {
        try key.readFloat(tag: KeyTag.float, type: "Double")
    }
}

extension Float: OrderedKeyValue {
    /// Appends the value as a `Double`, so a field that is widened keeps its keys.
    public func write(to key: inout OrderedKeyBuilder) {
        key.append(tag: KeyTag.float, Double(self))
    }

    /// Reads a value that was written as a `Float` or `Double`.
    /// - Throws: ``OrderedKeyError``, also if the value is no `Float`.
    public static func read(from key: inout OrderedKeyReader) throws(OrderedKeyError) -> Float {
        let start = key.position
        let value = try key.readFloat(tag: KeyTag.float, type: "Float")
        guard !value.isNaN else { return .nan }
        guard let float = Float(exactly: value) else {
            throw .invalidValue(type: "Float", offset: start)
        }
        return float
    }
}
