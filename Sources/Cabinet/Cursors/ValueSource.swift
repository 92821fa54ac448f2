import CabinetBackend

/// Where the values of a key path come from: records, if it is a declared field, otherwise objects.
struct ValueSource<Value> {
    /// What a plan calls it.
    let name: String
    /// The field that the key path is; `nil` if its values need the object.
    let field: ClassFields.Field?
    let read: (RowCursor) throws -> Value

    private init(
        name: String, field: ClassFields.Field?, read: @escaping (RowCursor) throws -> Value
    ) {
        (self.name, self.field, self.read) = (name, field, read)
    }

    /// The same values, as optional ones.
    var optional: ValueSource<Value?> {
        let read = read
        return ValueSource<Value?>(name: name, field: field, read: { try read($0) })
    }

    init<Object: StoredObject>(_ keyPath: KeyPath<Object, Value>, _ fields: ClassFields) {
        name = fields.name(of: keyPath)
        let found = fields.field(at: keyPath)
        if let found, let form = found.form as? ValueForm<Value> {
            field = found
            read = Self.reader(of: found, form)
        } else if let found, let form = found.targets,
            let read = Self.reader(of: found, form, keyPath)
        {
            field = found
            self.read = read
        } else {
            field = nil
            read = { unsafeDowncast(try $0.object(), to: Object.self)[keyPath: keyPath] }
        }
    }

    /// Reads a relationship: of an object in memory as its class does, of a record without making the object.
    private static func reader<Object: StoredObject>(
        of field: ClassFields.Field, _ form: TargetForm, _ keyPath: KeyPath<Object, Value>
    ) -> ((RowCursor) throws -> Value)? {
        guard (Value.self as? any OptionalValue.Type)?.wrappedType is StoredObject.Type else {
            return nil
        }
        return { cursor in
            if cursor.isInMemory {
                return unsafeDowncast(try cursor.object(), to: Object.self)[keyPath: keyPath]
            }
            let object = try cursor.target(field, form).flatMap {
                try cursor.object($0, form)
            }
            // Of a class that may stand there. References have one form, whatever their class.
            return unsafeBitCast(object, to: Value.self)
        }
    }

    private static func reader(
        of field: ClassFields.Field, _ form: ValueForm<Value>
    ) -> (RowCursor) throws -> Value {
        let fast = withFixedType(Value.self, FixedReading(field: field))
        return fast as? (RowCursor) throws -> Value ?? { try $0.read(field, form) }
    }
}

/// Makes a closure that reads a field of a fixed value.
private struct FixedReading: FixedValueBody {
    let field: ClassFields.Field

    func run<Value: FixedValue>(_ type: Value.Type) -> Any {
        let field = field
        return { (cursor: RowCursor) throws -> Value in
            try cursor.read(field.index, offset: field.offset, size: Value.recordSize) {
                $0.assumingMemoryBound(to: Value.self).pointee
            } inRecord: { bytes, _ in
                Value.load(bytes)
            }
        } as (RowCursor) throws -> Value
    }
}
