import Foundation

/// A value that queries can add up: integers, floating-point numbers, `Decimal`, and optionals of
/// these, of which `nil` adds nothing.
public protocol SummableValue {
    /// What sums are given as: `Int` for integers, `Double` for floating-point numbers.
    associatedtype Sum: Sendable

    /// The sum of no values.
    static var emptySum: Sum { get }

    /// Adds the value to `sum`. `false`, with `sum` as it was, for `nil`.
    /// - Throws: ``QueryError/sumOverflow`` for a sum that its type cannot hold, the sum of a part of the
    ///   values included: which parts are added first depends on how the query is answered.
    func add(to sum: inout Sum) throws -> Bool

    /// The sum as a number that can be divided.
    static func number(_ sum: Sum) -> Double
}

extension SummableValue where Self: BinaryInteger, Sum == Int {
    /// 0.
    public static var emptySum: Int { 0 }

    /// Adds the value to `sum`.
    /// - Throws: ``QueryError/sumOverflow``
    public func add(to sum: inout Int) throws -> Bool {
        guard let value = Int(exactly: self) else { throw QueryError.sumOverflow }
        let (result, overflows) = sum.addingReportingOverflow(value)
        if overflows { throw QueryError.sumOverflow }
        sum = result
        return true
    }

    /// The nearest number.
    public static func number(_ sum: Int) -> Double { Double(sum) }
}

extension SummableValue where Self: BinaryFloatingPoint, Sum == Double {
    /// 0.
    public static var emptySum: Double { 0 }

    /// Adds the value to `sum`.
    public func add(to sum: inout Double) -> Bool {
        sum += Double(self)
        return true
    }

    /// The sum itself.
    public static func number(_ sum: Double) -> Double { sum }
}

extension Int: SummableValue {}
extension Int8: SummableValue {}
extension Int16: SummableValue {}
extension Int32: SummableValue {}
extension Int64: SummableValue {}
extension UInt: SummableValue {}
extension UInt8: SummableValue {}
extension UInt16: SummableValue {}
extension UInt32: SummableValue {}
extension UInt64: SummableValue {}
extension Float: SummableValue {}
extension Double: SummableValue {}

extension Decimal: SummableValue {
    /// 0.
    public static var emptySum: Decimal { 0 }

    /// Adds the value to `sum`; the result is NaN if it is too large.
    public func add(to sum: inout Decimal) -> Bool {
        sum += self
        return true
    }

    /// The nearest number.
    public static func number(_ sum: Decimal) -> Double {
        NSDecimalNumber(decimal: sum).doubleValue
    }
}

extension Optional: SummableValue where Wrapped: SummableValue {
    /// The sum of no values.
    public static var emptySum: Wrapped.Sum { Wrapped.emptySum }

    /// Adds the value, if there is one.
    /// - Throws: ``QueryError/sumOverflow``
    public func add(to sum: inout Wrapped.Sum) throws -> Bool {
        try self?.add(to: &sum) ?? false
    }

    /// The sum as a number that can be divided.
    public static func number(_ sum: Wrapped.Sum) -> Double { Wrapped.number(sum) }
}
