import Foundation

/// A value that a query in text compares fields with.
public protocol QueryParameter: Sendable {
    /// The value, without its type.
    var queryValue: FieldValue { get }
}

extension QueryParameter where Self: BinaryInteger {
    /// An integer.
    public var queryValue: FieldValue {
        Int128(exactly: self).map(FieldValue.integer)
            ?? .largeInteger(UInt128(truncatingIfNeeded: self))
    }
}

extension Int: QueryParameter {}
extension Int8: QueryParameter {}
extension Int16: QueryParameter {}
extension Int32: QueryParameter {}
extension Int64: QueryParameter {}
extension Int128: QueryParameter {}
extension UInt: QueryParameter {}
extension UInt8: QueryParameter {}
extension UInt16: QueryParameter {}
extension UInt32: QueryParameter {}
extension UInt64: QueryParameter {}
extension UInt128: QueryParameter {}

extension Double: QueryParameter {
    /// A number.
    public var queryValue: FieldValue { .double(self) }
}

extension Float: QueryParameter {
    /// A number.
    public var queryValue: FieldValue { .float(self) }
}

extension Decimal: QueryParameter {
    /// A number.
    public var queryValue: FieldValue { .decimal(self) }
}

extension Bool: QueryParameter {
    /// A truth value.
    public var queryValue: FieldValue { .bool(self) }
}

extension String: QueryParameter {
    /// A text.
    public var queryValue: FieldValue { .text(self) }
}

extension Date: QueryParameter {
    /// A point in time.
    public var queryValue: FieldValue { .date(self) }
}

extension UUID: QueryParameter {
    /// A UUID.
    public var queryValue: FieldValue { .uuid(self) }
}

extension URL: QueryParameter {
    /// A resource locator.
    public var queryValue: FieldValue { .url(self) }
}

extension Data: QueryParameter {
    /// Bytes.
    public var queryValue: FieldValue { .bytes(self) }
}

extension Optional: QueryParameter where Wrapped: QueryParameter {
    /// The value, or none.
    public var queryValue: FieldValue { self?.queryValue ?? .none }
}
