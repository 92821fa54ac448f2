import Foundation

/// A value that takes the same number of bytes in every record.
protocol FixedValue: Hashable, Sendable, IndexedValue {
    static var recordSize: Int { get }

    static func load(_ bytes: UnsafeRawPointer) -> Self

    /// Whether `one` is before `other`, by Swift's own `<`; `false` before `true`.
    static func isLess(_ one: Self, _ other: Self) -> Bool

    /// A number that is in the order of the values; equal for equal ones. NaN has the highest.
    var rank: UInt64 { get }

    /// The same value, if there is one of the type.
    static func exactly(_ value: FieldValue) -> Self?
}

extension FixedValue where Self: Comparable {
    @inline(__always)
    static func isLess(_ one: Self, _ other: Self) -> Bool { one < other }
}

extension FixedValue where Self: FixedWidthInteger {
    @inline(__always)
    static var recordSize: Int { MemoryLayout<Self>.size }

    @inline(__always)
    static func load(_ bytes: UnsafeRawPointer) -> Self {
        Self(littleEndian: bytes.loadUnaligned(as: Self.self))
    }

    @inline(__always)
    var rank: UInt64 {
        let bits = UInt64(truncatingIfNeeded: self)
        return Self.isSigned ? bits ^ (1 << 63) : bits
    }

    static func exactly(_ value: FieldValue) -> Self? {
        switch value {
        case .integer(let value): Self(exactly: value)
        case .largeInteger(let value): Self(exactly: value)
        case .double(let value): Self(exactly: value)
        case .float(let value): Self(exactly: value)
        default: nil
        }
    }
}

extension UInt8: FixedValue {}
extension UInt16: FixedValue {}
extension UInt32: FixedValue {}
extension UInt64: FixedValue {}
extension UInt: FixedValue {}
extension Int8: FixedValue {}
extension Int16: FixedValue {}
extension Int32: FixedValue {}
extension Int64: FixedValue {}
extension Int: FixedValue {}

extension Float: FixedValue {
    static var recordSize: Int { 4 }

    @inline(__always)
    static func load(_ bytes: UnsafeRawPointer) -> Float {
        Float(bitPattern: UInt32(bigEndian: bytes.loadUnaligned(as: UInt32.self)))
    }

    var rank: UInt64 { Double(self).rank }

    static func exactly(_ value: FieldValue) -> Float? {
        switch value {
        case .integer(let value): Float(exactly: value)
        case .double(let value): Float(exactly: value)
        case .float(let value): value
        default: nil
        }
    }
}

extension Double: FixedValue {
    static var recordSize: Int { 8 }

    @inline(__always)
    static func load(_ bytes: UnsafeRawPointer) -> Double {
        Double(bitPattern: UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)))
    }

    @inline(__always)
    var rank: UInt64 {
        if isNaN { return .max }
        let bits = self == 0 ? 0 : bitPattern
        return bits >> 63 == 0 ? bits | 1 << 63 : ~bits
    }

    static func exactly(_ value: FieldValue) -> Double? {
        switch value {
        case .integer(let value): Double(exactly: value)
        case .double(let value): value
        case .float(let value): Double(value)
        default: nil
        }
    }
}

extension Date: FixedValue {
    static var recordSize: Int { 8 }

    @inline(__always)
    static func load(_ bytes: UnsafeRawPointer) -> Date {
        Date(timeIntervalSinceReferenceDate: Double.load(bytes))
    }

    var rank: UInt64 { timeIntervalSinceReferenceDate.rank }

    static func exactly(_ value: FieldValue) -> Date? {
        if case .date(let date) = value { date } else { nil }
    }
}

extension Bool: FixedValue {
    static var recordSize: Int { 1 }

    @inline(__always)
    static func load(_ bytes: UnsafeRawPointer) -> Bool { bytes.load(as: UInt8.self) != 0 }

    @inline(__always)
    static func isLess(_ one: Bool, _ other: Bool) -> Bool { !one && other }

    var rank: UInt64 { self ? 1 : 0 }

    static func exactly(_ value: FieldValue) -> Bool? {
        if case .bool(let truth) = value { truth } else { nil }
    }
}

/// What is done for fixed values with their type known to the compiler: several times as fast.
protocol FixedValueBody<Result> {
    associatedtype Result
    func run<Value: FixedValue>(_ type: Value.Type) -> Result
}

/// Calls `body` with the type of fixed values that `type` is; `nil` if it is none.
func withFixedType<Body: FixedValueBody>(_ type: Any.Type, _ body: Body) -> Body.Result? {
    if type == Int.self { return body.run(Int.self) }
    if type == Int64.self { return body.run(Int64.self) }
    if type == Int32.self { return body.run(Int32.self) }
    if type == Int16.self { return body.run(Int16.self) }
    if type == Int8.self { return body.run(Int8.self) }
    if type == UInt.self { return body.run(UInt.self) }
    if type == UInt64.self { return body.run(UInt64.self) }
    if type == UInt32.self { return body.run(UInt32.self) }
    if type == UInt16.self { return body.run(UInt16.self) }
    if type == UInt8.self { return body.run(UInt8.self) }
    if type == Double.self { return body.run(Double.self) }
    if type == Float.self { return body.run(Float.self) }
    if type == Bool.self { return body.run(Bool.self) }
    if type == Date.self { return body.run(Date.self) }
    return nil
}
