import CabinetBackend

// What can be declared. `was` is the field's name in records that earlier programs wrote.
//
// The forms for `Codable` types and raw values are second choice, so that a type's own form in a
// buffer goes before them.

extension Field where Value: BufferValue {
    /// A field with its first value.
    @inlinable public init(wrappedValue: Value, was formerName: String? = nil) {
        self.init(declared: wrappedValue, formerName: formerName)
    }
    /// A field that is `nil` at first.
    @inlinable public init(was formerName: String) where Value: ExpressibleByNilLiteral {
        self.init(declared: nil, formerName: formerName)
    }
}

extension Field where Value: Codable {
    /// A field with its first value.
    @_disfavoredOverload
    @inlinable public init(wrappedValue: Value, was formerName: String? = nil) {
        self.init(declared: wrappedValue, formerName: formerName)
    }
    /// A field that is `nil` at first.
    @_disfavoredOverload
    @inlinable public init(was formerName: String) where Value: ExpressibleByNilLiteral {
        self.init(declared: nil, formerName: formerName)
    }
}

extension Field where Value: RawRepresentable, Value.RawValue: BufferValue {
    /// A field with its first value.
    @_disfavoredOverload
    @inlinable public init(wrappedValue: Value, was formerName: String? = nil) {
        self.init(declared: wrappedValue, formerName: formerName)
    }
}

extension Field where Value: RawRepresentable & Codable, Value.RawValue: BufferValue {
    /// A field with its first value.
    @_disfavoredOverload
    @inlinable public init(wrappedValue: Value, was formerName: String? = nil) {
        self.init(declared: wrappedValue, formerName: formerName)
    }
}

extension Field {
    /// A field with its first value.
    @_disfavoredOverload
    @inlinable public init<Wrapped: RawRepresentable>(
        wrappedValue: Wrapped?, was formerName: String? = nil
    ) where Value == Wrapped?, Wrapped.RawValue: BufferValue {
        self.init(declared: wrappedValue, formerName: formerName)
    }
    /// A field that is `nil` at first.
    @_disfavoredOverload
    @inlinable public init<Wrapped: RawRepresentable>(was formerName: String)
    where Value == Wrapped?, Wrapped.RawValue: BufferValue {
        self.init(declared: nil, formerName: formerName)
    }

    /// A field with its first value.
    @_disfavoredOverload
    @inlinable public init<Wrapped: RawRepresentable & Codable>(
        wrappedValue: Wrapped?, was formerName: String? = nil
    ) where Value == Wrapped?, Wrapped.RawValue: BufferValue {
        self.init(declared: wrappedValue, formerName: formerName)
    }
    /// A field that is `nil` at first.
    @_disfavoredOverload
    @inlinable public init<Wrapped: RawRepresentable & Codable>(was formerName: String)
    where Value == Wrapped?, Wrapped.RawValue: BufferValue {
        self.init(declared: nil, formerName: formerName)
    }
}
