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
            }, makeColumn: { NamedColumn(name, isDescending: isDescending) })
    }
}
