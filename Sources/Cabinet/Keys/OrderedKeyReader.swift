/// Reads the values of a key, from front to back.
///
/// Bytes that no builder made give an ``OrderedKeyError``. The bytes are not copied: a reader must not
/// be used after the memory that it was made with is gone. For a key of its own,
/// ``OrderedKey/values(_:)`` sees to that.
///
/// Not `Sendable`: it borrows memory.
public struct OrderedKeyReader {
    private let bytes: UnsafeRawBufferPointer
    /// Whether the key is cut: its last byte is the mark.
    private let isCut: Bool
    /// How many bytes were read.
    public private(set) var position = 0

    /// A reader at the front of a key without a row.
    public init(_ bytes: UnsafeRawBufferPointer) {
        isCut = bytes.count > OrderedKey.longestWhole
        self.bytes = isCut ? UnsafeRawBufferPointer(rebasing: bytes.dropLast()) : bytes
    }

    /// How many bytes are left; the mark of a cut key is none of them.
    public var remaining: Int { bytes.count - position }

    /// Reads the next value.
    /// - Throws: ``OrderedKeyError``. The position is then anywhere.
    public mutating func read<Value: OrderedKeyValue>(
        _ type: Value.Type = Value.self
    ) throws(OrderedKeyError) -> Value {
        try Value.read(from: &self)
    }
}

extension OrderedKey {
    /// The values of the key, if it was made of values of these types.
    ///
    /// ```swift
    /// let (artist, year) = try key.values(String.self, Int.self)
    /// ```
    /// - Throws: ``OrderedKeyError``; ``OrderedKeyError/cut`` if the key is cut.
    public func values<each Value: OrderedKeyValue>(
        _ types: repeat (each Value).Type
    ) throws(OrderedKeyError) -> (repeat each Value) {
        try bytes.withUnsafeBufferPointer { bytes throws(OrderedKeyError) in
            var reader = OrderedKeyReader(UnsafeRawBufferPointer(bytes))
            do {
                let values = (repeat try reader.read((each types)))
                if reader.remaining > 0 { throw OrderedKeyError.excess(count: reader.remaining) }
                return values
            } catch {
                // Swift 6.3 has no typed errors in expansions of packs; no other error is thrown.
                throw error as? OrderedKeyError ?? .invalidValue(type: "\(error)", offset: 0)
            }
        }
    }
}

// MARK: - Bytes

extension OrderedKeyReader {
    /// Whether the next part begins with `tag`; then it is skipped.
    mutating func skip(_ tag: UInt8) throws(OrderedKeyError) -> Bool {
        guard try peekByte() == tag else { return false }
        position += 1
        return true
    }

    /// The next byte, without moving past it.
    func peekByte() throws(OrderedKeyError) -> UInt8 {
        try need(1)
        return bytes[position]
    }

    /// The error for the next part, of which there is a byte.
    func unexpectedTag(for type: String) -> OrderedKeyError {
        .unexpectedTag(bytes[position], type: type, offset: position)
    }

    mutating func expect(_ tag: UInt8, for type: @autoclosure () -> String) throws(OrderedKeyError)
    {
        if try !skip(tag) { throw unexpectedTag(for: type()) }
    }

    private func need(_ count: Int) throws(OrderedKeyError) {
        guard remaining < count else { return }
        throw isCut ? .cut : .truncated(needed: count, remaining: remaining)
    }

    mutating func take(_ count: Int) throws(OrderedKeyError) -> UnsafeRawBufferPointer {
        try need(count)
        defer { position += count }
        return UnsafeRawBufferPointer(rebasing: bytes[position..<position + count])
    }

    mutating func readByte() throws(OrderedKeyError) -> UInt8 {
        try take(1)[0]
    }

    /// Reads an integer of up to 16 bytes, the highest first.
    mutating func readBits(_ count: Int) throws(OrderedKeyError) -> UInt128 {
        var bits: UInt128 = 0
        for byte in try take(count) { bits = bits << 8 | UInt128(byte) }
        return bits
    }

    /// Reads an integer's 128 bits of two's complement, or of its value if it is not negative.
    mutating func readInteger(
        type: @autoclosure () -> String
    ) throws(OrderedKeyError) -> (bits: UInt128, isNegative: Bool) {
        let start = position
        let tag = try peekByte()
        let isNegative = tag <= KeyTag.negative
        guard tag >= KeyTag.negative - 16, tag <= KeyTag.positive + 16 else {
            throw unexpectedTag(for: type())
        }
        position += 1
        let length = Int(isNegative ? KeyTag.negative - tag : tag - KeyTag.positive)
        var bits = try readBits(length)
        if isNegative { bits |= length == 16 ? 0 : .max << (8 * length) }
        let magnitude = isNegative ? ~bits : bits
        guard (135 - magnitude.leadingZeroBitCount) >> 3 == length, !isNegative || bits >> 127 == 1
        else {
            throw .invalidValue(type: type(), offset: start)
        }
        return (bits, isNegative)
    }

    mutating func readFloat(
        tag: UInt8, type: @autoclosure () -> String
    ) throws(OrderedKeyError) -> Double {
        let start = position
        try expect(tag, for: type())
        let bits = UInt64(try readBits(8))
        if bits == .max { return .nan }
        let value = Double(bitPattern: bits >> 63 == 1 ? bits & ~(1 << 63) : ~bits)
        guard !value.isNaN, value != 0 || bits == 1 << 63 else {
            throw .invalidValue(type: type(), offset: start)
        }
        return value
    }

    /// Reads escaped bytes of one level and their end, behind the part's tag.
    mutating func readEscaped(type: @autoclosure () -> String) throws(OrderedKeyError) -> [UInt8] {
        let start = position - 1
        let levels = try readLevels(type: type())
        guard levels.count == 1 else { throw .invalidValue(type: type(), offset: start) }
        return levels[0]
    }

    /// Reads escaped bytes, level by level and one at least, and their end, behind the part's tag.
    mutating func readLevels(type: @autoclosure () -> String) throws(OrderedKeyError) -> [[UInt8]] {
        let start = position - 1
        var found: [[UInt8]] = []
        var level: [UInt8] = []
        while true {
            let byte = try readByte()
            if byte == KeyEscape.end {
                found.append(level)
                return found
            }
            guard byte == KeyEscape.escape else {
                level.append(byte)
                continue
            }
            switch try readByte() {
            case KeyEscape.zero: level.append(0)
            case KeyEscape.one: level.append(1)
            case KeyEscape.separator:
                found.append(level)
                level = []
            default: throw .invalidValue(type: type(), offset: start)
            }
        }
    }
}
