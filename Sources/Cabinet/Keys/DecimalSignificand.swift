import Foundation

/// The integer that a `Decimal` multiplies with a power of ten. Foundation on Linux has no public
/// property for it, and its text takes five times as long. What every platform has is the encoded
/// form: the count of 16-bit words that matter and eight words, the lowest first. Archives keep
/// that form; if it did change, the text is used.
enum DecimalSignificand {
    static func value(of number: Decimal) -> UInt128 {
        encodedValue(of: number) ?? UInt128(number.significand.description) ?? 0
    }

    /// The value by the encoded form; `nil` if that has other parts than those that are known.
    static func encodedValue(of number: Decimal) -> UInt128? {
        var words = Words()
        return withUnsafeMutablePointer(to: &words) { words in
            guard (try? number.encode(to: Recorder(words: words))) != nil else { return nil }
            return words.pointee.value
        }
    }

    fileprivate struct Words {
        var length: UInt32?
        var count: UInt32 = 0
        var bits: UInt128 = 0

        var value: UInt128? {
            guard let length, length <= 8, count == 8 else { return nil }
            // Words behind the length are undefined.
            return length == 8 ? bits : bits & (1 << UInt128(16 * length) - 1)
        }

        mutating func append(_ word: UInt16) {
            if count < 8 { bits |= UInt128(word) << UInt128(16 * count) }
            count += 1
        }
    }

    /// Keeps the length and the words. The pointer is valid during `encodedValue(of:)`.
    fileprivate struct Recorder {
        let words: UnsafeMutablePointer<Words>
        var codingPath: [any CodingKey] { [] }

        /// Another form than the one that is known.
        struct UnknownForm: Error {}
    }
}

extension DecimalSignificand.Recorder: Encoder {
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(Keyed<Key>(recorder: self))
    }
    func unkeyedContainer() -> any UnkeyedEncodingContainer { self }
    func singleValueContainer() -> any SingleValueEncodingContainer { self }

    struct Keyed<Key: CodingKey>: KeyedEncodingContainerProtocol {
        let recorder: DecimalSignificand.Recorder
        var codingPath: [any CodingKey] { [] }

        func encode(_ value: UInt32, forKey key: Key) {
            if key.stringValue == "length" { recorder.words.pointee.length = value }
        }
        // The exponent and the flags can be had from the number.
        func encode<Value: Encodable>(_ value: Value, forKey key: Key) {}
        func encodeNil(forKey key: Key) {}
        func nestedContainer<Nested>(
            keyedBy type: Nested.Type, forKey key: Key
        ) -> KeyedEncodingContainer<Nested> {
            recorder.container(keyedBy: type)
        }
        func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { recorder }
        func superEncoder() -> any Encoder { recorder }
        func superEncoder(forKey key: Key) -> any Encoder { recorder }
    }
}

extension DecimalSignificand.Recorder: UnkeyedEncodingContainer, SingleValueEncodingContainer {
    var count: Int { Int(words.pointee.count) }

    func encode(_ value: UInt16) { words.pointee.append(value) }
    func encode<Value: Encodable>(_ value: Value) throws { throw UnknownForm() }
    func encodeNil() throws { throw UnknownForm() }
    func nestedContainer<Nested>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
        container(keyedBy: type)
    }
    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { self }
    func superEncoder() -> any Encoder { self }
}

// MARK: - Digits

extension DecimalSignificand {
    /// Calls `body` with the decimal digits of `value`, without leading zeros: none for 0.
    static func withDigits(of value: UInt128, _ body: (UnsafeBufferPointer<UInt8>) -> Void) {
        // Of 128 bits there are 39 digits.
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 40) { digits in
            var start = 40
            var rest = value
            while rest > UInt64.max {
                let (quotient, low) = rest.quotientAndRemainder(
                    dividingBy: 1_000_000_000_000_000_000)
                var piece = UInt64(truncatingIfNeeded: low)
                rest = quotient
                for _ in 0..<18 { Self.moveDigit(of: &piece, into: digits, before: &start) }
            }
            var piece = UInt64(truncatingIfNeeded: rest)
            while piece > 0 { Self.moveDigit(of: &piece, into: digits, before: &start) }
            body(UnsafeBufferPointer(rebasing: digits[start...]))
        }
    }

    @inline(__always)
    private static func moveDigit(
        of piece: inout UInt64, into digits: UnsafeMutableBufferPointer<UInt8>,
        before start: inout Int
    ) {
        start -= 1
        digits[start] = UInt8(truncatingIfNeeded: piece % 10)
        piece /= 10
    }
}
