import CabinetBackend
import Foundation

class ValueForm<Value> {
    let type: FieldType

    init(_ type: FieldType) { self.type = type }

    func write(_ value: Value, to buffer: DataBuffer) {}

    func read(from buffer: DataBuffer) throws(DataBufferError) -> Value {
        throw .coding(type: "\(Value.self)", reason: "it has no form")
    }

    /// As ``read(from:)``; `nil` for an unknown raw value, which the buffer has passed then.
    func readKnown(from buffer: DataBuffer) throws(DataBufferError) -> Value? {
        try read(from: buffer)
    }

    private final lazy var areEqual = equality(of: Value.self)

    /// Whether the type's own `==` says that the values are equal; `false` for a type without one.
    final func isEqual(_ one: Value, _ other: Value) -> Bool { areEqual?(one, other) ?? false }

    /// Whether both are equal and stored alike: an `==` may overlook what is stored.
    func isSame(_ one: Value, _ other: Value) -> Bool {
        guard isEqual(one, other) else { return false }
        if Value.self == Data.self { return true }
        return StoredBytes(of: one, self).areSame(as: StoredBytes(of: other, self))
    }

    /// The coder of a field of such values; `nil` if they cannot be stored.
    ///
    /// A form that a buffer knows goes first, then the raw value, also within collections, then the
    /// type's own form, then what its `Codable` conformance makes of it.
    /// - Parameter unknown: what the field's declaration names for raw values that the type does not
    ///   know, as ``write(_:to:)`` writes it.
    static func coder(unknown: [UInt8]? = nil) -> FieldCoder? {
        guard let form = form(of: Value.self) else { return nil }
        if let unknown {
            let buffer = DataBuffer()
            unknown.withUnsafeBytes { buffer.writeRawBytes($0) }
            if let value = try? form.read(from: buffer) {
                return TolerantCoder<Value>(form, unknown: value)
            }
        }
        return form.type.isCompact ? CodedCoder<Value>(form) : ValueCoder<Value>(form)
    }

    /// What ``write(_:to:)`` makes of a value of a type that has a form; else nothing.
    static func bytes(of value: Value) -> [UInt8] {
        let buffer = DataBuffer()
        form(of: Value.self)?.write(value, to: buffer)
        return buffer.withUnsafeBytes { [UInt8]($0) }
    }
}

/// A form that a buffer knows, or one that a type has of its own.
private final class PlainForm<Value: BufferValue>: ValueForm<Value> {
    override func write(_ value: Value, to buffer: DataBuffer) { value.write(to: buffer) }

    override func read(from buffer: DataBuffer) throws(DataBufferError) -> Value {
        try Value.read(from: buffer)
    }
}

/// The raw value, `Raw` being `Value.RawValue`.
private final class RawForm<Value: RawRepresentable, Raw: BufferValue>: ValueForm<Value> {
    override func write(_ value: Value, to buffer: DataBuffer) {
        (value.rawValue as? Raw)?.write(to: buffer)
    }

    override func read(from buffer: DataBuffer) throws(DataBufferError) -> Value {
        let start = buffer.position
        if let value = try readKnown(from: buffer) { return value }
        buffer.move(to: start)
        throw .invalidValue(type: "\(Value.self)", offset: start)
    }

    override func readKnown(from buffer: DataBuffer) throws(DataBufferError) -> Value? {
        (try Raw.read(from: buffer) as? Value.RawValue).flatMap { Value(rawValue: $0) }
    }
}

/// A type's own form behind its byte count, so that a reader that does not know it can skip it.
private final class CountedForm<Value: BufferValue>: ValueForm<Value> {
    override func write(_ value: Value, to buffer: DataBuffer) {
        let start = buffer.count
        buffer.writeUInt32(0)
        value.write(to: buffer)
        buffer.patchUInt32(UInt32(truncatingIfNeeded: buffer.count - start - 4), at: start)
    }

    override func read(from buffer: DataBuffer) throws(DataBufferError) -> Value {
        let length = try buffer.peekCounted().count
        _ = try buffer.readUInt32()
        let end = buffer.position + length
        let value = try Value.read(from: buffer)
        guard buffer.position <= end else {
            throw .invalidValue(type: "\(Value.self)", offset: end - length)
        }
        buffer.move(to: end)
        return value
    }
}

private class CodedForm<Value: Codable>: ValueForm<Value> {
    final override func write(_ value: Value, to buffer: DataBuffer) {
        buffer.writeCodable(value)
    }

    /// Keys may come in any order. A value that cannot be encoded counts as changed.
    final override func isSame(_ one: Value, _ other: Value) -> Bool {
        guard isEqual(one, other) else { return false }
        let (first, second) = (DataBuffer(), DataBuffer())
        do {
            try CompactForm.encode(one, to: first)
            try CompactForm.encode(other, to: second)
        } catch {
            return false
        }
        return first.withUnsafeBytes { first in
            second.withUnsafeBytes { CompactForm.areSame(first, $0) }
        }
    }

    override func read(from buffer: DataBuffer) throws(DataBufferError) -> Value {
        try buffer.readCodable(Value.self)
    }
}

private final class CodedArrayForm<Value: Codable & CompactArray>: CodedForm<Value> {
    override func read(from buffer: DataBuffer) throws(DataBufferError) -> Value {
        try buffer.readCodable { bytes throws in
            try CompactForm.decodeArray(Value.self, from: bytes)
        }
    }
}

private final class OptionalForm<Wrapped>: ValueForm<Wrapped?> {
    private let base: ValueForm<Wrapped>

    init(_ base: ValueForm<Wrapped>) {
        self.base = base
        super.init(.optional(base.type))
    }

    override func write(_ value: Wrapped?, to buffer: DataBuffer) {
        buffer.writeBool(value != nil)
        if let value { base.write(value, to: buffer) }
    }

    override func read(from buffer: DataBuffer) throws(DataBufferError) -> Wrapped? {
        try buffer.readBool() ? try base.read(from: buffer) : nil
    }

    override func readKnown(from buffer: DataBuffer) throws(DataBufferError) -> Wrapped?? {
        guard try buffer.readBool() else { return .some(nil) }
        return try base.readKnown(from: buffer).map { .some($0) }
    }

    override func isSame(_ one: Wrapped?, _ other: Wrapped?) -> Bool {
        guard let one, let other else { return one == nil && other == nil }
        return base.isSame(one, other)
    }
}

// MARK: - Choosing

/// How values of `type` become bytes; `nil` if they cannot.
func form<Value>(of type: Value.Type) -> ValueForm<Value>? {
    let found =
        plainForm(type) ?? (type as? any RawRepresentable.Type).flatMap { rawForm($0) }
        ?? (type as? any OptionalType.Type)?.optionalForm()
        ?? (type as? any CollectionType.Type)?.collectionForm()
        ?? (type as? any BufferValue.Type).map { countedForm($0) }
        ?? (type as? any Codable.Type).map { codedForm($0) }
    return found as? ValueForm<Value>
}

private func plainForm(_ type: Any.Type) -> AnyObject? {
    guard let form = FieldType(type), let value = type as? any BufferValue.Type else { return nil }
    func make<Value: BufferValue>(_ type: Value.Type) -> AnyObject { PlainForm<Value>(form) }
    return make(value)
}

private func rawForm<Value: RawRepresentable>(_ type: Value.Type) -> AnyObject? {
    guard let form = FieldType(Value.RawValue.self),
        let raw = Value.RawValue.self as? any BufferValue.Type
    else { return nil }
    func make<Raw: BufferValue>(_ raw: Raw.Type) -> AnyObject { RawForm<Value, Raw>(form) }
    return make(raw)
}

private func countedForm<Value: BufferValue>(_ type: Value.Type) -> AnyObject {
    CountedForm<Value>(.custom("\(Value.self)"))
}

private func codedForm<Value: Codable>(_ type: Value.Type) -> AnyObject {
    if let array = Value.self as? any (Codable & CompactArray).Type {
        func make<Known: Codable & CompactArray>(_ type: Known.Type) -> AnyObject {
            CodedArrayForm<Known>(.compact("\(Known.self)"))
        }
        return make(array)
    }
    return CodedForm<Value>(.compact("\(Value.self)"))
}

private protocol OptionalType {
    static func optionalForm() -> AnyObject?
}

extension Optional: OptionalType {
    fileprivate static func optionalForm() -> AnyObject? {
        form(of: Wrapped.self).map { OptionalForm<Wrapped>($0) }
    }
}
