import CabinetBackend

// Arrays, sets and dictionaries of enums with a raw value only. Those whose enums are `Codable` too
// come twice, as in `Field+Declaring`: the compiler could not choose otherwise.

extension Field {
    /// A field with its first value.
    @_disfavoredOverload
    @inlinable public init<Element: RawRepresentable>(
        wrappedValue: [Element], was formerNames: @autoclosure () -> FormerNames = []
    ) where Value == [Element], Element.RawValue: BufferValue {
        self.init(declared: wrappedValue, formerNames: formerNames)
    }
    /// A field with its first value.
    @_disfavoredOverload
    @inlinable public init<Element: RawRepresentable & Codable>(
        wrappedValue: [Element], was formerNames: @autoclosure () -> FormerNames = []
    ) where Value == [Element], Element.RawValue: BufferValue {
        self.init(declared: wrappedValue, formerNames: formerNames)
    }

    /// A field with its first value.
    @_disfavoredOverload
    @inlinable public init<Element: RawRepresentable & Hashable>(
        wrappedValue: Set<Element>, was formerNames: @autoclosure () -> FormerNames = []
    ) where Value == Set<Element>, Element.RawValue: BufferValue {
        self.init(declared: wrappedValue, formerNames: formerNames)
    }
    /// A field with its first value.
    @_disfavoredOverload
    @inlinable public init<Element: RawRepresentable & Hashable & Codable>(
        wrappedValue: Set<Element>, was formerNames: @autoclosure () -> FormerNames = []
    ) where Value == Set<Element>, Element.RawValue: BufferValue {
        self.init(declared: wrappedValue, formerNames: formerNames)
    }

    /// A field with its first value.
    @_disfavoredOverload
    @inlinable public init<Key: RawRepresentable & Hashable, Element: BufferValue>(
        wrappedValue: [Key: Element], was formerNames: @autoclosure () -> FormerNames = []
    ) where Value == [Key: Element], Key.RawValue: BufferValue {
        self.init(declared: wrappedValue, formerNames: formerNames)
    }
    /// A field with its first value.
    @_disfavoredOverload
    @inlinable
    public init<
        Key: RawRepresentable & Hashable & Codable, Element: BufferValue & Codable
    >(
        wrappedValue: [Key: Element], was formerNames: @autoclosure () -> FormerNames = []
    ) where Value == [Key: Element], Key.RawValue: BufferValue {
        self.init(declared: wrappedValue, formerNames: formerNames)
    }

    /// A field with its first value.
    @_disfavoredOverload
    @inlinable public init<Key: BufferValue & Hashable, Element: RawRepresentable>(
        wrappedValue: [Key: Element], was formerNames: @autoclosure () -> FormerNames = []
    ) where Value == [Key: Element], Element.RawValue: BufferValue {
        self.init(declared: wrappedValue, formerNames: formerNames)
    }
    /// A field with its first value.
    @_disfavoredOverload
    @inlinable
    public init<
        Key: BufferValue & Hashable & Codable, Element: RawRepresentable & Codable
    >(
        wrappedValue: [Key: Element], was formerNames: @autoclosure () -> FormerNames = []
    ) where Value == [Key: Element], Element.RawValue: BufferValue {
        self.init(declared: wrappedValue, formerNames: formerNames)
    }
}
