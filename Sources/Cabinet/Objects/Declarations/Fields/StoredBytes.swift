import CabinetBackend

/// What a value becomes in a record, to be compared with what another one becomes.
struct StoredBytes {
    private let buffer = DataBuffer()
    private let type: FieldType

    init<Value>(of value: Value, _ form: ValueForm<Value>) {
        type = form.type
        form.write(value, to: buffer)
    }

    /// Whether `other`, made of an equal value, is the same. `false` if one cannot be written.
    func areSame(as other: StoredBytes) -> Bool {
        guard buffer.writeError == nil, other.buffer.writeError == nil,
            buffer.count == other.buffer.count
        else { return false }
        let isEqual = buffer.withUnsafeBytes { one in
            other.buffer.withUnsafeBytes { one.elementsEqual($0) }
        }
        if isEqual { return true }
        guard type.isUnordered, let one = try? type.sorted(in: buffer) else { return false }
        return (try? type.sorted(in: other.buffer)) == one
    }
}

extension FieldType {
    /// Whether sets or dictionaries are part of it, whose elements come in any order.
    fileprivate var isUnordered: Bool {
        switch self {
        case .set, .dictionary: true
        case .optional(let type), .array(let type): type.isUnordered
        case .scalar, .compact, .custom, .one, .many: false
        }
    }

    /// The bytes of the next value, with elements of sets and dictionaries in bytewise order.
    fileprivate func sorted(in buffer: DataBuffer) throws(DataBufferError) -> [UInt8] {
        switch self {
        case .optional(let type):
            return try buffer.readBool() ? [1] + type.sorted(in: buffer) : [0]
        case .array(let element):
            var bytes: [UInt8] = []
            for _ in 0..<(try buffer.readCount(elementSize: 1)) {
                bytes += try element.sorted(in: buffer)
            }
            return bytes
        case .set(let element):
            return try Self.joined(in: buffer) { () throws(DataBufferError) in
                try element.sorted(in: buffer)
            }
        case .dictionary(let key, let value):
            return try Self.joined(in: buffer) { () throws(DataBufferError) in
                try key.sorted(in: buffer) + value.sorted(in: buffer)
            }
        case .scalar, .compact, .custom, .one, .many:
            let start = buffer.position
            try skip(in: buffer)
            return buffer.withUnsafeBytes { Array($0[start..<buffer.position]) }
        }
    }

    private static func joined(
        in buffer: DataBuffer, _ next: () throws(DataBufferError) -> [UInt8]
    ) throws(DataBufferError) -> [UInt8] {
        var elements: [[UInt8]] = []
        for _ in 0..<(try buffer.readCount(elementSize: 1)) { elements.append(try next()) }
        elements.sort { $0.lexicographicallyPrecedes($1) }
        return Array(elements.joined())
    }
}

/// A type that has values of other types in it.
private protocol CompoundType {
    static var holdsInstances: Bool { get }
}

extension Optional: CompoundType {
    fileprivate static var holdsInstances: Bool { isOfInstances(Wrapped.self) }
}

extension Array: CompoundType {
    fileprivate static var holdsInstances: Bool { isOfInstances(Element.self) }
}

extension Set: CompoundType {
    fileprivate static var holdsInstances: Bool { isOfInstances(Element.self) }
}

extension Dictionary: CompoundType {
    fileprivate static var holdsInstances: Bool {
        isOfInstances(Key.self) || isOfInstances(Value.self)
    }
}

/// Whether values of `type` are instances of classes, or hold such.
private func isOfInstances(_ type: Any.Type) -> Bool {
    type is AnyObject.Type || (type as? any CompoundType.Type)?.holdsInstances ?? false
}

/// The `==` of `type`; `nil` if it has none, or if an instance of a class is part of it: that one
/// may have changed since, and would be compared with itself.
func equality<Value>(of type: Value.Type) -> ((Value, Value) -> Bool)? {
    guard !isOfInstances(type), let type = type as? any Equatable.Type else { return nil }
    func make<Known: Equatable>(_ type: Known.Type) -> (Value, Value) -> Bool {
        // `Known` is `Value`: a cast would unwrap optionals.
        { unsafeBitCast($0, to: Known.self) == unsafeBitCast($1, to: Known.self) }
    }
    return make(type)
}
