/// A value that can be a part of an ``OrderedKey``.
///
/// All integers, `Bool`, `Float`, `Double`, `String`, `Data`, `Date`, `UUID`, `Decimal` and optionals
/// of such values conform. An enum with a raw value conforms by saying so, and is in the order of
/// its raw values:
///
/// ```swift
/// enum Genre: UInt8, OrderedKeyValue { case jazz = 1, soul }
/// ```
///
/// A type of your own writes one or more parts of these types, always of the same types in the same
/// order:
///
/// ```swift
/// extension Duration: OrderedKeyValue {
///     func write(to key: inout OrderedKeyBuilder) {
///         key.append(components.seconds)
///         key.append(components.attoseconds)
///     }
///     static func read(from key: inout OrderedKeyReader) throws(OrderedKeyError) -> Duration {
///         Duration(
///             secondsComponent: try key.read(Int64.self), attosecondsComponent: try key.read(Int64.self))
///     }
/// }
/// ```
public protocol OrderedKeyValue: IndexedValue {
    /// Reads what ``IndexedValue/write(to:)`` wrote and moves past it.
    /// - Throws: ``OrderedKeyError``. The position is then anywhere.
    static func read(from key: inout OrderedKeyReader) throws(OrderedKeyError) -> Self
}

/// A value of which a key can be made, if not always a value of the key: what ``OrderedKeyValue``
/// says, and objects, whose key is a reference to them.
public protocol IndexedValue {
    /// Appends the value's parts: at least one. Lesser values have lesser bytes, and equal values equal
    /// ones.
    func write(to key: inout OrderedKeyBuilder)

    /// Whether the first part may be `nil`: `false` unless a type says otherwise. An optional of such a
    /// type has a byte more.
    static var mayBeginWithNil: Bool { get }
}

extension IndexedValue {
    public static var mayBeginWithNil: Bool { false }
}

extension OrderedKeyBuilder {
    /// Appends the parts of a value; a text under ``Collation/unicode``.
    @inlinable
    public mutating func append<Value: IndexedValue>(_ value: Value) {
        value.write(to: &self)
    }
}

extension OrderedKeyBuilder {
    @usableFromInline mutating func appendNil() { appendByte(KeyTag.absent) }
    @usableFromInline mutating func appendPresence() { appendByte(KeyTag.present) }
}

extension OrderedKeyValue where Self: RawRepresentable, RawValue: OrderedKeyValue {
    public func write(to key: inout OrderedKeyBuilder) { rawValue.write(to: &key) }

    /// Reads a raw value.
    /// - Throws: ``OrderedKeyError``, also if the type has no value of it.
    public static func read(from key: inout OrderedKeyReader) throws(OrderedKeyError) -> Self {
        let start = key.position
        if let value = Self(rawValue: try RawValue.read(from: &key)) { return value }
        throw .invalidValue(type: "\(Self.self)", offset: start)
    }

    public static var mayBeginWithNil: Bool { RawValue.mayBeginWithNil }
}

extension Optional: IndexedValue where Wrapped: IndexedValue {
    // Inlinable for callers that know the type: 53 instructions for an `Int?` in another module, and
    // 219 otherwise, by callgrind.
    @inlinable
    public func write(to key: inout OrderedKeyBuilder) {
        guard let self else { return key.appendNil() }
        if Wrapped.mayBeginWithNil { key.appendPresence() }
        self.write(to: &key)
    }

    public static var mayBeginWithNil: Bool { true }
}

extension Optional: OrderedKeyValue where Wrapped: OrderedKeyValue {
    public static func read(from key: inout OrderedKeyReader) throws(OrderedKeyError) -> Self {
        if try key.skip(KeyTag.absent) { return nil }
        if Wrapped.mayBeginWithNil, try !key.skip(KeyTag.present) {
            throw key.unexpectedTag(for: "\(Self.self)")
        }
        return try Wrapped.read(from: &key)
    }
}

extension String: OrderedKeyValue {
    /// Appends the text under ``Collation/unicode``.
    public func write(to key: inout OrderedKeyBuilder) { key.append(unicode: self) }

    /// Reads a text that was written under ``Collation/unicode``, as one that is equal to it, or under
    /// ``Collation/binary``, as it was.
    /// - Throws: ``OrderedKeyError``; other collations cannot be read.
    public static func read(from key: inout OrderedKeyReader) throws(OrderedKeyError) -> String {
        let start = key.position
        try key.expect(KeyTag.text, for: "String")
        let bytes = try key.readEscaped(type: "String")
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw .invalidValue(type: "String", offset: start)
        }
        return text
    }
}

extension Bool: OrderedKeyValue {
    /// Appends one byte; `false` is first.
    public func write(to key: inout OrderedKeyBuilder) {
        key.appendByte(self ? KeyTag.trueValue : KeyTag.falseValue)
    }

    public static func read(from key: inout OrderedKeyReader) throws(OrderedKeyError) -> Bool {
        if try key.skip(KeyTag.falseValue) { return false }
        if try key.skip(KeyTag.trueValue) { return true }
        throw key.unexpectedTag(for: "Bool")
    }
}
