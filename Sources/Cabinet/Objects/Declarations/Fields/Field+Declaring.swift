import CabinetBackend

// What can be declared. `was` is the field's name in records that earlier programs wrote.
//
// The forms for `Codable` types and raw values are second choice, so that a type's own form in a
// buffer goes before them.

extension Field where Value: BufferValue {
    /// A field with its first value.
    @inlinable public init(
        wrappedValue: Value, was formerNames: @autoclosure () -> FormerNames = []
    ) {
        self.init(declared: wrappedValue, formerNames: formerNames)
    }
    /// A field that is `nil` at first.
    @inlinable public init(was formerNames: @autoclosure () -> FormerNames)
    where Value: ExpressibleByNilLiteral {
        self.init(declared: nil, formerNames: formerNames)
    }
}

extension Field where Value: Codable {
    /// A field with its first value.
    @_disfavoredOverload
    @inlinable public init(
        wrappedValue: Value, was formerNames: @autoclosure () -> FormerNames = []
    ) {
        self.init(declared: wrappedValue, formerNames: formerNames)
    }
    /// A field that is `nil` at first.
    @_disfavoredOverload
    @inlinable public init(was formerNames: @autoclosure () -> FormerNames)
    where Value: ExpressibleByNilLiteral {
        self.init(declared: nil, formerNames: formerNames)
    }
}

extension Field where Value: RawRepresentable, Value.RawValue: BufferValue {
    /// A field with its first value.
    @_disfavoredOverload
    @inlinable public init(
        wrappedValue: Value, was formerNames: @autoclosure () -> FormerNames = []
    ) {
        self.init(declared: wrappedValue, formerNames: formerNames)
    }
}

extension Field where Value: RawRepresentable & Codable, Value.RawValue: BufferValue {
    /// A field with its first value.
    @_disfavoredOverload
    @inlinable public init(
        wrappedValue: Value, was formerNames: @autoclosure () -> FormerNames = []
    ) {
        self.init(declared: wrappedValue, formerNames: formerNames)
    }
}

extension Field {
    /// A field with its first value.
    @_disfavoredOverload
    @inlinable public init<Wrapped: RawRepresentable>(
        wrappedValue: Wrapped?, was formerNames: @autoclosure () -> FormerNames = []
    ) where Value == Wrapped?, Wrapped.RawValue: BufferValue {
        self.init(declared: wrappedValue, formerNames: formerNames)
    }
    /// A field that is `nil` at first.
    @_disfavoredOverload
    @inlinable public init<Wrapped: RawRepresentable>(
        was formerNames: @autoclosure () -> FormerNames
    )
    where Value == Wrapped?, Wrapped.RawValue: BufferValue {
        self.init(declared: nil, formerNames: formerNames)
    }

    /// A field with its first value.
    @_disfavoredOverload
    @inlinable public init<Wrapped: RawRepresentable & Codable>(
        wrappedValue: Wrapped?, was formerNames: @autoclosure () -> FormerNames = []
    ) where Value == Wrapped?, Wrapped.RawValue: BufferValue {
        self.init(declared: wrappedValue, formerNames: formerNames)
    }
    /// A field that is `nil` at first.
    @_disfavoredOverload
    @inlinable public init<Wrapped: RawRepresentable & Codable>(
        was formerNames: @autoclosure () -> FormerNames
    )
    where Value == Wrapped?, Wrapped.RawValue: BufferValue {
        self.init(declared: nil, formerNames: formerNames)
    }
}
