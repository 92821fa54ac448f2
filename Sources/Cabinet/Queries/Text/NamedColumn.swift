import CabinetBackend

/// The values of a declared field, by its name, of objects or of what relationships of theirs lead to.
final class NamedColumn: SortColumn {
    private let name: QueryStatement.Name
    private let sign: Int
    private var read: ((RowCursor) throws -> FieldValue)?
    private var values: [FieldValue] = []

    init(_ name: QueryStatement.Name, isDescending: Bool) {
        self.name = name
        sign = isDescending ? -1 : 1
    }

    override func turn(to fields: ClassFields) {
        read = fields.reader(of: name.path[...], name.text)
    }

    override func append(_ cursor: RowCursor) throws {
        values.append(try read?(cursor) ?? FieldValue.none)
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
    /// By a declared field of that name. One of a target gives no order of an index, and no pages.
    init(named name: QueryStatement.Name, isDescending: Bool) {
        let own = name.path.isEmpty ? name.text : nil
        self.init(
            name: { _ in name.whole + (isDescending ? " descending" : "") },
            isDescending: isDescending,
            fieldOrder: { fields in
                own.flatMap { fields.field(named: $0) }.map {
                    FieldOrder(field: $0.index, collation: .unicode, isDescending: isDescending)
                }
            },
            paged: { fields in
                own.flatMap { fields.rawField(named: $0) }.map { field in
                    PagedProperty(
                        field, fields.field(named: name.text)?.form, isDescending: isDescending)
                }
            }, makeColumn: { NamedColumn(name, isDescending: isDescending) })
    }
}

extension ClassFields {
    /// What reads a field of the objects that a path of relationships leads to; `nil` for no such field.
    fileprivate func reader(
        of path: ArraySlice<String>, _ name: String
    ) -> ((RowCursor) throws -> FieldValue)? {
        guard let relation = path.first else {
            guard let field = rawField(named: name) else { return nil }
            return { cursor in
                try cursor.readBytes(field) { try field.type.readCompared(from: $0) }
            }
        }
        guard let field = field(named: relation), let form = field.targets,
            let store = storedClass.context as? Store
        else { return nil }
        let targets = TargetCursors(store, field, form)
        var readers: [UInt8: (RowCursor) throws -> FieldValue] = [:]
        return { cursor in
            try targets.withTarget(of: cursor) { target in
                guard let target else { return .none }
                let number = target.fields.storedClass.number
                if let known = readers[number] { return try known(target) }
                guard let read = target.fields.reader(of: path.dropFirst(), name) else {
                    return .none
                }
                readers[number] = read
                return try read(target)
            }
        }
    }
}

extension PagedProperty {
    /// A declared field, as ``NamedColumn`` sorts by it.
    fileprivate init(
        _ field: ClassFields.RawField, _ form: (any AnyValueForm)?, isDescending: Bool
    ) {
        write = { cursor, buffer in
            try cursor.readBytes(field) { bytes in
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
            return Value(value: own ?? value) { cursor in
                let found = try cursor.readBytes(field) {
                    try field.type.readCompared(from: $0)
                }
                return (isDescending ? -1 : 1) * found.place(before: value)
            }
        }
    }
}
