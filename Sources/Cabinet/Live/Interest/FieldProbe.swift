import CabinetBackend

/// Makes numbers of the values of one field: equal ones of equal values.
struct FieldProbe {
    /// Whether lesser values have lesser numbers.
    let isInOrder: Bool
    private let read: (DataBuffer) -> UInt64?
    private let make: (Any) -> UInt64?
    /// Of no value. A value may have the same.
    private static let none: UInt64 = 0x6E6F_6E65

    init(_ field: ClassFields.Field) {
        let type = field.form.valueType
        let wrapped = (type as? any OptionalValue.Type)?.wrappedType
        let form = field.form
        if let make = withFixedType(wrapped ?? type, RankMaking()) {
            (isInOrder, self.make) = (true, make)
        } else {
            isInOrder = false
            make = { ($0 as? any Hashable).map { UInt64(truncatingIfNeeded: $0.hashValue) } }
        }
        read = { [make] in (try? form.readAny(from: $0)).flatMap { Self.number(of: $0, make) } }
    }

    /// The number of a value of the field's type; `nil` if there is none for it.
    func number(of value: Any) -> UInt64? { Self.number(of: value, make) }

    /// The number of what stands in a buffer; `nil` if that cannot be read.
    func number(in buffer: DataBuffer) -> UInt64? { read(buffer) }

    private static func number(of value: Any, _ make: (Any) -> UInt64?) -> UInt64? {
        guard let optional = value as? any OptionalValue else { return make(value) }
        return optional.wrappedValue.map { number(of: $0, make) } ?? none
    }
}

/// Makes what gives the ranks of values of a fixed type.
private struct RankMaking: FixedValueBody {
    func run<Value: FixedValue>(_ type: Value.Type) -> (Any) -> UInt64? {
        { ($0 as? Value)?.rank }
    }
}
