import CabinetBackend
import CabinetTextSearch

/// Where the parts of one column come from: from records, if it is a declared field, otherwise from
/// objects.
struct KeySource {
    typealias Appender = (RowCursor, inout OrderedKeyBuilder) throws -> Void

    let column: IndexColumn
    /// The field that the column is; `nil` for anything else.
    let field: ClassFields.Field?
    /// What conditions on the column are about; `nil` where an index cannot serve them.
    let subject: ClassFields.Subject?
    /// What the definition says of the declared field that the column is of, also of one whose values need
    /// the object.
    let name: String?
    /// The version of the class whose property the column is; `nil` for a field and for what is computed.
    let classVersion: UInt8?
    /// What distinguishes what the class makes of earlier records, if the column is a declared field.
    let upgradeForm: String?
    /// Appends the part of the object that a cursor stands at.
    let append: Appender

    /// - Parameter index: the name of the index, which a property that is no field goes by.
    init(_ column: IndexColumn, of index: String, _ fields: ClassFields) {
        self.column = column
        field = column.keyPath.flatMap { fields.field(at: $0) }
        subject =
            field?.subject
            ?? column.keyPath.flatMap { fields.note($0, column.valueType, named: index) }
        name = column.keyPath.flatMap { fields.definedName(of: $0) }
        classVersion = field == nil && subject != nil ? fields.storedClass.version : nil
        upgradeForm = name == nil ? nil : fields.upgradeForm
        append = Self.appender(column, field)
    }

    /// The column of a declared field of a class that a catalog describes.
    init(_ column: IndexColumn, of field: ClassFields.Field) {
        (self.column, self.field, subject, name) = (column, field, field.subject, field.name)
        (classVersion, upgradeForm) = (nil, nil)
        append = Self.appender(column, field)
    }

    private static func appender(
        _ column: IndexColumn, _ field: ClassFields.Field?
    ) -> Appender {
        if let field, let form = field.targets {
            return { cursor, key in try cursor.writtenTarget(field, form).write(to: &key) }
        }
        guard let field, field.form.valueType == column.valueType else {
            return { cursor, key in
                column.append(try cursor.object(), to: &key)
            }
        }
        if column.valueType == String.self { return text(field, column.collation ?? .unicode) }
        if column.valueType == String?.self {
            return optionalText(field, column.collation ?? .unicode)
        }
        if let fixed = withFixedType(column.valueType, FixedAppending(field: field)) {
            return fixed
        }
        if let optional = column.valueType as? any OptionalValue.Type,
            let fixed = withFixedType(optional.wrappedType, OptionalAppending(field: field))
        {
            return fixed
        }
        return { cursor, key in
            if let value = try cursor.readAny(field), column.append(value, &key) { return }
            column.append(try cursor.object(), to: &key)
        }
    }

    private static func text(
        _ field: ClassFields.Field, _ collation: Collation
    ) -> Appender {
        let (index, offset) = (field.index, field.offset)
        return { cursor, key in
            try cursor.read(index, offset: offset, size: 4) {
                key.append($0.assumingMemoryBound(to: String.self).pointee, collation: collation)
            } inRecord: { start, count in
                key.append(utf8: RecordText.bytes(at: start, count), collation: collation)
            }
        }
    }

    private static func optionalText(
        _ field: ClassFields.Field, _ collation: Collation
    ) -> Appender {
        let (index, offset) = (field.index, field.offset)
        return { cursor, key in
            try cursor.read(index, offset: offset, size: 1) {
                key.append($0.assumingMemoryBound(to: String?.self).pointee, collation: collation)
            } inRecord: { start, count in
                guard start.load(as: UInt8.self) != 0 else { return key.appendNil() }
                key.append(utf8: RecordText.bytes(at: start + 1, count - 1), collation: collation)
            }
        }
    }
}

/// Makes a closure that appends a field of a fixed value.
private struct FixedAppending: FixedValueBody {
    let field: ClassFields.Field

    func run<Value: FixedValue>(_ type: Value.Type) -> KeySource.Appender {
        let (index, offset) = (field.index, field.offset)
        return { cursor, key in
            let value = try cursor.read(index, offset: offset, size: Value.recordSize) {
                $0.assumingMemoryBound(to: Value.self).pointee
            } inRecord: { bytes, _ in
                Value.load(bytes)
            }
            value.write(to: &key)
        }
    }
}

/// Makes a closure that appends a field of an optional fixed value.
private struct OptionalAppending: FixedValueBody {
    let field: ClassFields.Field

    func run<Value: FixedValue>(_ type: Value.Type) -> KeySource.Appender {
        let (index, offset) = (field.index, field.offset)
        return { cursor, key in
            let value = try cursor.read(index, offset: offset, size: 1) {
                $0.assumingMemoryBound(to: Value?.self).pointee
            } inRecord: { bytes, count -> Value? in
                guard bytes.load(as: UInt8.self) != 0, count > Value.recordSize else { return nil }
                return Value.load(bytes + 1)
            }
            value.write(to: &key)
        }
    }
}

extension IndexColumn {
    /// Appends the first part of `object`; none for a column without one.
    func append(_ object: StoredObject, to key: inout OrderedKeyBuilder) {
        // A closure may not keep the builder.
        withUnsafeMutablePointer(to: &key) { key in forEachPart(object) { $0(&key.pointee) } }
    }
}
