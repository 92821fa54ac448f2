import CabinetBackend
import Foundation

extension FieldValue {
    /// How two values compare: below 0 if this one is before `other`, 0 if they are equal; `nil` if
    /// they have no order, as NaN and values of different kinds.
    ///
    /// Numbers of all types compare by their value; a `Decimal` as a `Double`, but to another one and to
    /// an integer exactly. As Foundation has it, a `Decimal` that is NaN equals itself and is before every
    /// number. Bytes compare one after another, and truth values as `false` before `true`.
    func order(to other: FieldValue) -> Int? {
        switch (self, other) {
        case (.none, .none): 0
        case (.text(let one), .text(let other)): textOrder(one, other)
        case (.bool(let one), .bool(let other)): (one ? 1 : 0) - (other ? 1 : 0)
        case (.date(let one), .date(let other)):
            Self.order(
                one.timeIntervalSinceReferenceDate, other.timeIntervalSinceReferenceDate)
        case (.uuid(let one), .uuid(let other)): Self.order(one.uuidString, other.uuidString)
        case (.url(let one), .url(let other)):
            Self.order(one.absoluteString, other.absoluteString)
        case (.bytes(let one), .bytes(let other)):
            one == other ? 0 : one.lexicographicallyPrecedes(other) ? -1 : 1
        case (.decimal(let one), .decimal(let other)): Self.order(one, other)
        default: numericOrder(to: other)
        }
    }

    private static func order<Value: Comparable>(_ one: Value, _ other: Value) -> Int? {
        one < other ? -1 : one == other ? 0 : one > other ? 1 : nil
    }

    private func numericOrder(to other: FieldValue) -> Int? {
        if case .decimal(let one) = self, one.isNaN { return other.isNumber ? -1 : nil }
        if case .decimal(let other) = other, other.isNaN { return isNumber ? 1 : nil }
        if let one = integer, let other = other.integer { return Self.order(one, other) }
        if case .largeInteger(let one) = self, case .largeInteger(let other) = other {
            return Self.order(one, other)
        }
        if case .largeInteger = self, other.integer != nil { return 1 }
        if integer != nil, case .largeInteger = other { return -1 }
        if let one = integer, let other = other.floating { return Self.order(one, other) }
        if let one = floating, let other = other.integer {
            return Self.order(other, one).map { -$0 }
        }
        guard let one = nearestDouble, let other = other.nearestDouble else { return nil }
        return Self.order(one, other)
    }

    /// Exactly, whatever a `Double` can hold.
    private static func order(_ one: Int128, _ other: Double) -> Int? {
        if other.isNaN { return nil }
        if other >= 0x1p127 { return -1 }
        if other < -0x1p127 { return 1 }
        let whole = Int128(other.rounded(.down))
        if one != whole { return one < whole ? -1 : 1 }
        return other == other.rounded(.down) ? 0 : -1
    }

    /// Whether it is a number, which NaN is not.
    private var isNumber: Bool { nearestDouble.map { !$0.isNaN } ?? false }

    private var integer: Int128? {
        if case .integer(let value) = self { value } else { nil }
    }

    private var floating: Double? {
        switch self {
        case .double(let value): value
        case .float(let value): Double(value)
        default: nil
        }
    }

    private var nearestDouble: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .largeInteger(let value): Double(value)
        case .decimal(let value): NSDecimalNumber(decimal: value).doubleValue
        default: floating
        }
    }
}

extension FieldType {
    /// What values of the type are compared by, if they have an order.
    var comparedScalar: Scalar? {
        switch self {
        case .scalar(let scalar): scalar
        case .optional(.scalar(let scalar)): scalar
        default: nil
        }
    }

    /// What the elements of a collection are compared by.
    var elementScalar: Scalar? {
        switch self {
        case .array(let element), .set(let element): element.comparedScalar
        case .optional(let wrapped): wrapped.elementScalar
        default: nil
        }
    }

    /// Reads a value that has an order, or a collection of such; ``FieldValue/none`` for others.
    func readCompared(from buffer: DataBuffer) throws(DataBufferError) -> FieldValue {
        switch self {
        case .scalar(let scalar): return try scalar.readValue(from: buffer)
        case .optional(let wrapped):
            return try buffer.readBool() ? try wrapped.readCompared(from: buffer) : .none
        case .array(let element), .set(let element):
            var values: [FieldValue] = []
            for _ in 0..<(try buffer.readCount(elementSize: 1)) {
                values.append(try element.readCompared(from: buffer))
            }
            return .list(values)
        default: return .none
        }
    }
}

extension FieldType.Scalar {
    /// What values of the type are compared with where the query says `value`; `nil` if they
    /// cannot be.
    func operand(_ value: FieldValue) -> FieldValue? {
        switch (self, value) {
        case (_, .none): value
        case (.float, .double(let number)): .float(Float(number))
        case (.bool, .bool), (.string, .text), (.data, .bytes), (.date, .date), (.uuid, .uuid),
            (.url, .url):
            value
        case (.date, .text(let text)): Self.date(text).map { .date($0) }
        case (.uuid, .text(let text)): UUID(uuidString: text).map { .uuid($0) }
        case (.url, .text(let text)): URL(string: text).map { .url($0) }
        case (.bool, _), (.string, _), (.data, _), (.date, _), (.uuid, _), (.url, _): nil
        // Of 128 bits a decimal number has all digits.
        case (.decimal, .integer(let number)): Decimal(string: "\(number)").map { .decimal($0) }
        case (.decimal, .largeInteger(let number)):
            Decimal(string: "\(number)").map { .decimal($0) }
        case (_, .integer), (_, .largeInteger), (_, .float), (_, .double), (_, .decimal): value
        default: nil
        }
    }

    private static func date(_ text: String) -> Date? {
        guard JSONDate.isOnCalendar(text) else { return nil }
        let day = Date.ISO8601FormatStyle().year().month().day()
        let fraction = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        return (try? Date(text, strategy: .iso8601)) ?? (try? Date(text, strategy: fraction))
            ?? (try? Date(text, strategy: day))
    }
}
