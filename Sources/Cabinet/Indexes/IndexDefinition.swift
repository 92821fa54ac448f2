import CabinetBackend

/// What the keys of an index are made of, as a text: an index whose keys were made of something else
/// is made anew.
struct IndexDefinition: Hashable {
    /// Says what keys are made of.
    let text: String
    /// The collations of the columns, with name, version and fingerprint.
    let collations: String

    init(_ index: Index, _ sources: [KeySource]) {
        var parts = ["version \(index.version)"]
        if index.isUnique { parts.append("unique") }
        if index.isMultiple { parts.append("elements") }
        if index.subset != nil { parts.append("subset") }
        for source in sources {
            let type = Self.form(of: source.column.valueType)
            parts.append(
                "\(source.name ?? (source.column.keyPath == nil ? "computed" : "property")): \(type)"
            )
        }
        text = parts.joined(separator: ", ")
        collations = sources.compactMap(\.column.collation)
            .map { "\($0) \(String($0.fingerprint, radix: 16))" }
            .joined(separator: ", ")
    }

    /// The form in which keys have values of a type: one for all integers, one for floating-point values,
    /// whether optional or not.
    private static func form(of type: Any.Type) -> String {
        if let optional = type as? any OptionalValue.Type { return form(of: optional.wrappedType) }
        if type is any FixedWidthInteger.Type { return "integer" }
        if type is any BinaryFloatingPoint.Type { return "float" }
        if type is StoredObject.Type { return "reference" }
        if let raw = type as? any RawRepresentable.Type { return "\(rawForm(of: raw))" }
        return _typeName(type, qualified: false)
    }

    private static func rawForm<Value: RawRepresentable>(of type: Value.Type) -> String {
        form(of: Value.RawValue.self)
    }
}

extension Index {
    /// The index's name in a class with the declared fields `fields`; `nil` if it was given none and its
    /// columns have none.
    func name(_ fields: ClassFields) -> String? {
        if let givenName { return givenName }
        if subset != nil { return nil }
        var names: [String] = []
        for column in columns {
            guard let name = column.keyPath.flatMap({ fields.declaredName(of: $0) }) else {
                return nil
            }
            names.append(name)
            if let collation = column.collation { names.append(collation.name) }
        }
        return names.joined(separator: ".")
    }
}
