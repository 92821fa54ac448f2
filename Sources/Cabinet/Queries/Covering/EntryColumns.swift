import CabinetBackend
import Foundation

/// What the keys of one index give back of an object: its columns over declared fields whose values can
/// be read from a key.
struct EntryColumns {
    /// How a value comes back.
    enum Fidelity {
        /// As it was.
        case exact
        /// As one that is equal to it: a text in normalization form C, 0 for −0, any NaN for another.
        case equal
    }

    struct Column {
        /// The place of the field among the declared ones.
        let field: Int
        let form: EntryForm
        let isOptional: Bool
        /// `nil` for a part that can only be passed over.
        let fidelity: Fidelity?
    }

    /// From the first column on, as far as the bounds of their parts are known.
    let columns: [Column]

    init(_ index: ClassIndex) {
        var columns: [Column] = []
        for source in index.sources {
            guard let column = Self.column(source) else { break }
            columns.append(column)
        }
        self.columns = columns
    }

    /// `nil` for a part whose end its bytes do not tell.
    private static func column(_ source: KeySource) -> Column? {
        let column = source.column
        if let field = source.field, field.targets != nil {
            return Column(field: field.index, form: .target, isOptional: false, fidelity: .exact)
        }
        var type = column.valueType
        var isOptional = false
        if let optional = type as? any OptionalValue.Type {
            (type, isOptional) = (optional.wrappedType, true)
        }
        guard let field = PlannedColumn(source)?.field, let form = EntryForm(of: type) else {
            let isOnePart =
                type is StoredObject.Type || type == Decimal.self || type == Data.self
            guard isOnePart || EntryForm(of: type) != nil else { return nil }
            return Column(
                field: -1, form: .skipped, isOptional: isOptional, fidelity: nil)
        }
        var fidelity: Fidelity? = .exact
        switch form {
        case .float, .double, .date: fidelity = .equal
        case .text:
            switch (column.collation ?? .unicode).method {
            case .binary: fidelity = .exact
            case .unicode: fidelity = .equal
            default: fidelity = nil
            }
        default: break
        }
        return Column(
            field: field.index, form: fidelity == nil ? .skipped : form,
            isOptional: isOptional, fidelity: fidelity)
    }

    /// Whether the keys give back all of these fields.
    func give(_ fields: FieldsRead) -> Bool {
        fields.exactly.allSatisfy { field in
            columns.contains { $0.field == field && $0.fidelity == .exact }
        }
            && fields.equally.allSatisfy { field in
                columns.contains { $0.field == field && $0.fidelity != nil }
            }
    }

    /// The columns up to the last one of the given fields; of the others, parts are passed over.
    func reading(_ fields: FieldsRead) -> [Column] {
        let wanted = fields.exactly.union(fields.equally)
        guard let last = columns.lastIndex(where: { wanted.contains($0.field) }) else { return [] }
        return columns[...last].map { column in
            wanted.contains(column.field)
                ? column
                : Column(
                    field: -1, form: .skipped, isOptional: column.isOptional, fidelity: nil)
        }
    }
}

/// Which declared fields something reads.
struct FieldsRead {
    /// Those of which it needs the value itself.
    var exactly: Set<Int> = []
    /// Those of which an equal value does.
    var equally: Set<Int> = []

    mutating func formUnion(_ others: FieldsRead) {
        exactly.formUnion(others.exactly)
        equally.formUnion(others.equally)
    }

    /// The fields that key paths stand for; `nil` if one stands for none.
    static func exactly<Object: StoredObject>(
        _ keyPaths: [PartialKeyPath<Object>], _ fields: ClassFields
    ) -> FieldsRead? {
        var found = FieldsRead()
        for keyPath in keyPaths {
            guard let field = fields.field(at: keyPath) else { return nil }
            found.exactly.insert(field.index)
        }
        return found
    }
}

extension Condition {
    /// The fields that it looks at; `nil` if that is not known. It compares values alone.
    var fieldsRead: FieldsRead? {
        switch self {
        case .constant: return FieldsRead()
        case .all(let parts), .any(let parts):
            var found = FieldsRead()
            for part in parts {
                guard let read = part.fieldsRead else { return nil }
                found.formUnion(read)
            }
            return found
        case .not(let part): return part.fieldsRead
        case .test(let test): return FieldsRead(equally: [test.field.index])
        case .expression(let expression):
            if expression.rows != nil { return FieldsRead() }
            guard !expression.needsObject, let limit = expression.limit else { return nil }
            return FieldsRead(equally: [limit.subject.place])
        }
    }
}
