import CabinetBackend

/// The values of a declared field, by its name.
final class NamedColumn: SortColumn {
    private let name: String
    private let sign: Int
    private var field: ClassFields.RawField?
    private var values: [FieldValue] = []

    init(_ name: String, isDescending: Bool) {
        self.name = name
        sign = isDescending ? -1 : 1
    }

    override func turn(to fields: ClassFields) { field = fields.rawField(named: name) }

    override func append(_ candidate: Candidate) throws {
        guard let field else { return values.append(.none) }
        values.append(
            try candidate.readBytes(field) { try field.type.readCompared(from: $0) })
    }

    override func removeLast() { values.removeLast() }
    override func keep(_ indices: [Int]) { values = indices.map { values[$0] } }
    override func order(_ one: Int, _ other: Int) -> Int {
        sign * values[one].place(before: values[other])
    }
}

extension FieldValue {
    /// How two values of one field sort: no value first, NaN last.
    func place(before other: FieldValue) -> Int {
        if case .decimal(let one) = self, case .decimal(let other) = other {
            return totalOrder(one, other)
        }
        if let order = order(to: other) { return order }
        if self == .none || other == .none {
            return (self == .none ? 0 : 1) - (other == .none ? 0 : 1)
        }
        return (order(to: self) == nil ? 1 : 0) - (other.order(to: other) == nil ? 1 : 0)
    }
}

extension ObjectOrder {
    /// By a declared field of that name.
    init(named name: String, isDescending: Bool) {
        self.init(
            name: { _ in name + (isDescending ? " descending" : "") }, isDescending: isDescending,
            fieldOrder: { fields in
                fields.field(named: name).map {
                    FieldOrder(field: $0.index, collation: .unicode, isDescending: isDescending)
                }
            },
            paged: { fields in
                fields.rawField(named: name).map { field in
                    PagedProperty(
                        field, fields.field(named: name)?.form, isDescending: isDescending)
                }
            }, makeColumn: { NamedColumn(name, isDescending: isDescending) })
    }
}

extension PagedProperty {
    /// A declared field, as ``NamedColumn`` sorts by it.
    fileprivate init(
        _ field: ClassFields.RawField, _ form: (any AnyValueForm)?, isDescending: Bool
    ) {
        write = { candidate, buffer in
            try candidate.readBytes(field) { bytes in
                let start = bytes.position
                try field.type.skip(in: bytes)
                buffer.writeRawBytes(
                    UnsafeRawBufferPointer(rebasing: bytes.memory[start..<bytes.position]))
            }
        }
        read = { buffer throws(DataBufferError) in
            let start = buffer.position
            // An index knows values of the field's own type.
            let own: Any? = if let form { try form.readAny(from: buffer) } else { nil }
            buffer.move(to: start)
            let value = try field.type.readCompared(from: buffer)
            return Value(value: own ?? value) { candidate in
                let found = try candidate.readBytes(field) {
                    try field.type.readCompared(from: $0)
                }
                return (isDescending ? -1 : 1) * found.place(before: value)
            }
        }
    }
}
