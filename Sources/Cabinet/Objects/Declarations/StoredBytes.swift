import CabinetBackend

/// What a value becomes in a record, to be compared with what another one becomes.
struct StoredBytes {
    private let buffer = DataBuffer()
    /// Whether sets or dictionaries are part of it, whose elements come in any order.
    private let isUnordered: Bool

    init<Value>(of value: Value, _ form: ValueForm<Value>) {
        isUnordered = form.type.isUnordered
        form.write(value, to: buffer)
    }

    /// Whether `other`, made of an equal value by the same form, is the same. `false` if one of
    /// them cannot be written.
    func areSame(as other: StoredBytes) -> Bool {
        guard buffer.writeError == nil, other.buffer.writeError == nil,
            buffer.count == other.buffer.count
        else { return false }
        return buffer.withUnsafeBytes { one in
            other.buffer.withUnsafeBytes { other in
                if one.elementsEqual(other) { return true }
                return isUnordered && Self.frequencies(in: one) == Self.frequencies(in: other)
            }
        }
    }

    /// How often each byte occurs.
    private static func frequencies(in bytes: UnsafeRawBufferPointer) -> [Int] {
        var counts = [Int](repeating: 0, count: 256)
        for byte in bytes { counts[Int(byte)] += 1 }
        return counts
    }
}

extension FieldType {
    fileprivate var isUnordered: Bool {
        switch self {
        case .set, .dictionary: true
        case .optional(let type), .array(let type): type.isUnordered
        case .scalar, .coded, .custom, .one, .many: false
        }
    }
}

/// The `==` of `type`; `nil` if it has none.
func equality<Value>(of type: Value.Type) -> ((Value, Value) -> Bool)? {
    guard let type = type as? any Equatable.Type else { return nil }
    func make<Known: Equatable>(_ type: Known.Type) -> (Value, Value) -> Bool {
        // `Known` is `Value`: a cast would unwrap optionals.
        { unsafeBitCast($0, to: Known.self) == unsafeBitCast($1, to: Known.self) }
    }
    return make(type)
}
