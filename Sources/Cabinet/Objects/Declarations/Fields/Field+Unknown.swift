import CabinetBackend

// Enums with a raw value to which a newer program may have added cases.

extension Field where Value: RawRepresentable, Value.RawValue: BufferValue {
    /// A field with its first value, which reads raw values that the type does not know.
    ///
    /// ```swift
    /// @Field(unknown: .unplayed) var state = PlayState.new
    /// ```
    ///
    /// Where the record holds a raw value without a case, which a newer program wrote, the field
    /// has the value `unknown`. The record keeps the raw value until the field is set, to whatever
    /// value: other fields of the object can be changed and saved meanwhile. Without `unknown`,
    /// such a record cannot be read (``StoredObject/fetchError``).
    /// - Parameters:
    ///   - wrappedValue: the value of a new object.
    ///   - unknown: the value that stands for raw values without a case.
    ///   - formerNames: the names that the property had in earlier programs, the latest first.
    @inlinable public init(
        wrappedValue: Value, unknown: Value, was formerNames: @autoclosure () -> FormerNames = []
    ) {
        self.init(declared: wrappedValue, unknown: unknown, formerNames: formerNames)
    }

    /// As the form with a first value; `unknown` is the first value here.
    @inlinable public init(unknown: Value, was formerNames: @autoclosure () -> FormerNames = []) {
        self.init(declared: unknown, unknown: unknown, formerNames: formerNames)
    }
}

extension Field {
    /// As the forms above, for a field that may have no value. With
    /// `unknown: nil`, raw values without a case read as `nil`.
    @inlinable public init<Wrapped: RawRepresentable>(
        wrappedValue: Wrapped? = nil, unknown: Wrapped?,
        was formerNames: @autoclosure () -> FormerNames = []
    ) where Value == Wrapped?, Wrapped.RawValue: BufferValue {
        self.init(declared: wrappedValue, unknown: unknown, formerNames: formerNames)
    }
}
