import Foundation
import Testing
import TrustSupport

@testable import Cabinet
@testable import CabinetTestModel

struct NumberKeyTests {
    /// Powers of two, their neighbours and the negatives of both, and random values of any size.
    func integers<Integer: FixedWidthInteger>(_ type: Integer.Type) -> [Integer] {
        var random = SeededRandom(seed: UInt64(Integer.bitWidth))
        var values: [Integer] = [.min, .max, .min + 1, .max - 1, 0]
        for bit in 0..<Integer.bitWidth {
            let power = Integer(truncatingIfNeeded: UInt128(1) << UInt128(bit))
            for value in [power, power &- 1, power &+ 1] { values += [value, 0 &- value, ~value] }
        }
        for _ in 0..<300 {
            let bits = UInt128(random.next()) << 64 | UInt128(random.next())
            let shift = random.below(Integer.bitWidth)
            values.append(Integer(truncatingIfNeeded: bits) >> Integer(shift))
        }
        return values
    }

    func integersAreInOrder<Integer: FixedWidthInteger & OrderedKeyValue>(
        _ type: Integer.Type
    ) throws {
        let values = integers(type)
        try expectOrder(values, by: <)
        // The width of the declared type does not count.
        for value in values {
            #expect(
                OrderedKey(value)
                    == (Int128(exactly: value).map { OrderedKey($0) } ?? OrderedKey(value)))
            #expect(
                OrderedKey(value).bytes.count <= 1 + Integer.bitWidth / 8)
        }
    }

    @Test func integersOfAllWidthsAreInOrder() throws {
        try integersAreInOrder(Int.self)
        try integersAreInOrder(Int8.self)
        try integersAreInOrder(Int16.self)
        try integersAreInOrder(Int32.self)
        try integersAreInOrder(Int64.self)
        try integersAreInOrder(Int128.self)
        try integersAreInOrder(UInt.self)
        try integersAreInOrder(UInt8.self)
        try integersAreInOrder(UInt16.self)
        try integersAreInOrder(UInt32.self)
        try integersAreInOrder(UInt64.self)
        try integersAreInOrder(UInt128.self)
    }

    @Test func integersAreWrittenByTheirMagnitude() {
        #expect(OrderedKey(0).bytes == [0x14])
        #expect(OrderedKey(-1).bytes == [0x13])
        #expect(OrderedKey(1).bytes == [0x15, 1])
        #expect(OrderedKey(-2).bytes == [0x12, 0xFE])
        #expect(OrderedKey(255).bytes == [0x15, 0xFF])
        #expect(OrderedKey(256).bytes == [0x16, 1, 0])
        #expect(OrderedKey(-256).bytes == [0x12, 0])
        #expect(OrderedKey(-257).bytes == [0x11, 0xFE, 0xFF])
        #expect(OrderedKey(Int64.min).bytes == [0x0B, 0x80, 0, 0, 0, 0, 0, 0, 0])
        #expect(OrderedKey(Int128.min).bytes.count == 17)
    }

    func doubles() -> [Double] {
        var random = SeededRandom(seed: 3)
        var values: [Double] = [
            0, -0.0, .infinity, -.infinity, .nan, .signalingNaN, -.nan,
            Double(nan: 77, signaling: false), .leastNonzeroMagnitude, -.leastNonzeroMagnitude,
            .leastNormalMagnitude, .greatestFiniteMagnitude, -.greatestFiniteMagnitude, 1, -1,
            1.0.nextUp, 1.0.nextDown, 0.1, 1e300, -1e-300, .pi,
        ]
        for _ in 0..<1000 {
            values.append(Double(bitPattern: random.next()))
            values.append(Double(Int64(bitPattern: random.next()) >> 40) / 8)
        }
        return values
    }

    /// As the issue of indexes asks: every NaN is one value behind infinity.
    func isBefore<Float: BinaryFloatingPoint>(_ one: Float, _ other: Float) -> Bool {
        one.isNaN ? false : other.isNaN ? true : one < other
    }

    @Test func floatsAreInOrder() throws {
        try expectOrder(doubles(), isSame: { $0 == $1 || ($0.isNaN && $1.isNaN) }, by: isBefore)
        var random = SeededRandom(seed: 4)
        let floats =
            doubles().map { Float($0) }
            + (0..<500).map { _ in Float(bitPattern: UInt32(truncatingIfNeeded: random.next())) }
        try expectOrder(floats, isSame: { $0 == $1 || ($0.isNaN && $1.isNaN) }, by: isBefore)
        for float in floats where !float.isNaN {
            #expect(OrderedKey(float) == OrderedKey(Double(float)))
        }
    }

    @Test func zerosAndNaNsHaveOneKeyEach() {
        #expect(OrderedKey(-0.0) == OrderedKey(0.0))
        let key = OrderedKey(Double.nan)
        #expect(OrderedKey(-Double.nan) == key && OrderedKey(Double.signalingNaN) == key)
        #expect(OrderedKey(Float(nan: 5, signaling: true)) == key)
        #expect(key > OrderedKey(Double.infinity))
        #expect(OrderedKey(1.0).bytes == [0x28, 0xBF, 0xF0, 0, 0, 0, 0, 0, 0])
        #expect(OrderedKey(-1.0).bytes == [0x28, 0x40, 0x0F, 255, 255, 255, 255, 255, 255])
    }

    @Test func datesAreInOrder() throws {
        let dates = doubles().filter { !$0.isNaN }.map { Date(timeIntervalSinceReferenceDate: $0) }
        try expectOrder(dates, by: <)
    }

    /// Compares by digits, not by `Decimal`'s own arithmetic.
    struct Digits {
        let isNegative: Bool
        let exponent: Int
        let digits: [UInt8]

        init(_ value: Decimal) {
            let text = value.significand.description.utf8.drop { $0 == 0x30 }
            isNegative = value.sign == .minus
            exponent = text.isEmpty ? .min : text.count + value.exponent
            digits = Array(text.reversed().drop { $0 == 0x30 }.reversed())
        }

        static func isBefore(_ one: Decimal, _ other: Decimal) -> Bool {
            if one.isNaN || other.isNaN { return !one.isNaN }
            let (one, other) = (Digits(one), Digits(other))
            let signs = (one.sign, other.sign)
            if signs.0 != signs.1 { return signs.0 < signs.1 }
            return signs.0 < 0 ? other.isSmaller(than: one) : one.isSmaller(than: other)
        }

        private var sign: Int { digits.isEmpty ? 0 : isNegative ? -1 : 1 }

        private func isSmaller(than other: Digits) -> Bool {
            exponent != other.exponent
                ? exponent < other.exponent : digits.lexicographicallyPrecedes(other.digits)
        }
    }

    @Test func decimalsAreInOrder() throws {
        var random = SeededRandom(seed: 5)
        var values: [Decimal] = [
            0, 1, -1, 10, 100, -100, .nan, .greatestFiniteMagnitude, .leastFiniteMagnitude,
            .leastNonzeroMagnitude, .pi, Decimal(UInt64.max), Decimal(Int64.min),
            Decimal(sign: .plus, exponent: 127, significand: 1),
            Decimal(sign: .minus, exponent: -128, significand: 1),
            Decimal(sign: .plus, exponent: 127, significand: 10),
        ]
        for text in ["1.1", "1.10", "1.11", "1.09", "0.1", "0.01", "99", "100.5", "1005", "-1.1"] {
            values.append(try #require(Decimal(string: text)))
        }
        for _ in 0..<RunSetting.repetitions(800) {
            let significand = Decimal(random.next() >> UInt64(random.below(64)))
            values.append(
                Decimal(
                    sign: random.once(in: 2) ? .plus : .minus, exponent: random.below(40) - 20,
                    significand: significand))
            values.append(Decimal(random.below(2000) - 1000) / 100)
            // Of all 128 bits.
            values.append(significand * Decimal(random.next() >> UInt64(random.below(64))))
            values.append(significand / 7)
        }
        for value in values where !value.isNaN {
            // Both ways to the significand: by Foundation's encoded form and by its text.
            #expect(
                DecimalSignificand.encodedValue(of: value)
                    == UInt128(value.significand.description))
        }
        try expectOrder(values, isSame: { $0 == $1 || ($0.isNaN && $1.isNaN) }, by: Digits.isBefore)
        let plain = values.filter { !$0.isNaN && abs($0.exponent) < 30 }
        try expectOrder(plain, by: <)
    }

    @Test func equalDecimalsHaveEqualKeys() throws {
        let one = try #require(Decimal(string: "1.10"))
        let other = try #require(Decimal(string: "1.1"))
        let scaled = Decimal(sign: .plus, exponent: -3, significand: 1100)
        #expect(OrderedKey(one) == OrderedKey(other) && OrderedKey(scaled) == OrderedKey(other))
        #expect(OrderedKey(other).bytes == [0x2B, 0x82, 0x01, 22])
        #expect(OrderedKey(Decimal.greatestFiniteMagnitude).bytes.count <= 23)
    }
}
