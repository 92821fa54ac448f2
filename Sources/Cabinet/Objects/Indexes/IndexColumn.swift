import CabinetTextSearch

/// A part of an index's keys: of what, and how. Closures are made where the type is known.
struct IndexColumn: Sendable {
    /// What an object has more than one part for.
    typealias Part = (inout OrderedKeyBuilder) -> Void

    let keyPath: (AnyKeyPath & Sendable)?
    /// The type of what is written: of the property, or of its elements.
    let valueType: Any.Type
    /// The order of a text; `nil` for other values.
    let collation: Collation?
    /// Calls a closure with what appends the part of an object: once, or once for each element.
    let forEachPart: @Sendable (StoredObject, (Part) -> Void) -> Void
    /// Appends the part of a compared value. `false`, with nothing appended, for other types.
    let append: @Sendable (Any, inout OrderedKeyBuilder) -> Bool

    private init<Value>(
        _ keyPath: (AnyKeyPath & Sendable)?, _ valueType: Value.Type, _ collation: Collation?,
        _ write: @escaping @Sendable (Value, inout OrderedKeyBuilder) -> Void,
        values: @escaping @Sendable (StoredObject, (Value) -> Void) -> Void
    ) {
        self.keyPath = keyPath
        self.valueType = valueType
        self.collation = collation
        forEachPart = { object, body in
            values(object) { value in body { write(value, &$0) } }
        }
        append = { value, key in
            guard let value = value as? Value else { return false }
            write(value, &key)
            return true
        }
    }

    static func values<Owner: StoredObject, Value: IndexedValue & SendableMetatype>(
        _ keyPath: KeyPath<Owner, Value> & Sendable
    ) -> IndexColumn {
        IndexColumn(
            keyPath, Value.self, nil, { $0.write(to: &$1) },
            values: { object, body in
                if let object = object as? Owner { body(object[keyPath: keyPath]) }
            })
    }

    static func texts<Owner: StoredObject>(
        _ keyPath: KeyPath<Owner, String> & Sendable, _ collation: Collation
    ) -> IndexColumn {
        IndexColumn(
            keyPath, String.self, collation, { $1.append($0, collation: collation) },
            values: { object, body in
                if let object = object as? Owner { body(object[keyPath: keyPath]) }
            })
    }

    /// A column of texts or `nil`, in the order of `collation`.
    static func optionalTexts<Owner: StoredObject>(
        _ keyPath: KeyPath<Owner, String?> & Sendable, _ collation: Collation
    ) -> IndexColumn {
        IndexColumn(
            keyPath, String?.self, collation, { $1.append($0, collation: collation) },
            values: { object, body in
                if let object = object as? Owner { body(object[keyPath: keyPath]) }
            })
    }

    /// A column of values of which no more than the type is known: none is made of an object.
    static func values<Value: IndexedValue & SendableMetatype>(
        of type: Value.Type
    ) -> IndexColumn {
        IndexColumn(nil, type, nil, { $0.write(to: &$1) }, values: { _, _ in })
    }

    /// A column of such texts, in the order of `collation`.
    static func texts(_ collation: Collation, isOptional: Bool) -> IndexColumn {
        isOptional
            ? IndexColumn(
                nil, String?.self, collation, { $1.append($0, collation: collation) },
                values: { _, _ in })
            : IndexColumn(
                nil, String.self, collation, { $1.append($0, collation: collation) },
                values: { _, _ in })
    }

    static func elements<Owner: StoredObject, Values: Sequence & SendableMetatype>(
        of keyPath: KeyPath<Owner, Values> & Sendable
    ) -> IndexColumn
    where Values.Element: IndexedValue & SendableMetatype, Values.Iterator: SendableMetatype {
        IndexColumn(
            keyPath, Values.Element.self, nil, { $0.write(to: &$1) },
            values: { object, body in
                guard let object = object as? Owner else { return }
                for element in object[keyPath: keyPath] { body(element) }
            })
    }

    static func computed<Owner: StoredObject, Value: IndexedValue & SendableMetatype>(
        _ compute: @escaping @Sendable (Owner) -> Value
    ) -> IndexColumn {
        IndexColumn(
            nil, Value.self, nil, { $0.write(to: &$1) },
            values: { object, body in
                if let object = object as? Owner { body(compute(object)) }
            })
    }
}
