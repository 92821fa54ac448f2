import CabinetTextSearch

// How a class declares its indexes. All but the collated ones take values of any type that keys can be
// made of: see ``OrderedKeyValue``.

extension Index {
    /// Objects in the order of some properties: by the first, where that is equal by the second, and so on.
    /// - Parameters:
    ///   - first: the first property. Of a relationship to one, the index finds who refers to an object.
    ///   - others: the other ones.
    ///   - name: the index's name, unique in the class: ASCII letters, digits, `_` and `.`. Without
    ///     one, the names of the properties.
    ///   - version: raise it when `isIncluded` says something else than before.
    ///   - isIncluded: which objects are in the index; `nil` for all. It needs a name.
    public static func ordered<
        Owner: StoredObject, First: IndexedValue & SendableMetatype,
        each Other: IndexedValue & SendableMetatype
    >(
        _ first: KeyPath<Owner, First> & Sendable,
        _ others: repeat KeyPath<Owner, each Other> & Sendable,
        named name: String? = nil, version: Int = 1,
        where isIncluded: (@Sendable (Owner) -> Bool)? = nil
    ) -> Index {
        var columns = [IndexColumn.values(first)]
        for other in repeat each others { columns.append(.values(other)) }
        return Index(of: Owner.self, columns, name, version, isUnique: false, isIncluded)
    }

    /// Objects in the order of a text under `collation`. Queries use the index where they compare by
    /// what that collation calls equal; the order of Swift's `<` is ``Collation/unicode``.
    public static func ordered<Owner: StoredObject>(
        _ text: KeyPath<Owner, String> & Sendable, collation: Collation, named name: String? = nil,
        version: Int = 1, where isIncluded: (@Sendable (Owner) -> Bool)? = nil
    ) -> Index {
        Index(
            of: Owner.self, [.texts(text, collation)], name, version, isUnique: false, isIncluded)
    }

    /// Objects in the order of a text or `nil` under `collation`.
    public static func ordered<Owner: StoredObject>(
        _ text: KeyPath<Owner, String?> & Sendable, collation: Collation,
        named name: String? = nil, version: Int = 1,
        where isIncluded: (@Sendable (Owner) -> Bool)? = nil
    ) -> Index {
        Index(
            of: Owner.self, [.optionalTexts(text, collation)], name, version, isUnique: false,
            isIncluded)
    }

    /// Objects in the order of what `compute` makes of each.
    /// - Parameters:
    ///   - name: the index's name.
    ///   - version: raise it whenever `compute` or `isIncluded` says something else than before.
    ///   - isIncluded: which objects are in the index; `nil` for all.
    ///   - compute: looks at the object's own fields only.
    public static func computed<Owner: StoredObject, Value: IndexedValue & SendableMetatype>(
        named name: String, version: Int = 1, where isIncluded: (@Sendable (Owner) -> Bool)? = nil,
        _ compute: @escaping @Sendable (Owner) -> Value
    ) -> Index {
        Index(of: Owner.self, [.computed(compute)], name, version, isUnique: false, isIncluded)
    }

    /// A key for each element of a property: of an array of values, or of a relationship to many.
    public static func elements<Owner: StoredObject, Values: Sequence & SendableMetatype>(
        of property: KeyPath<Owner, Values> & Sendable, named name: String? = nil,
        version: Int = 1, where isIncluded: (@Sendable (Owner) -> Bool)? = nil
    ) -> Index
    where Values.Element: IndexedValue & SendableMetatype, Values.Iterator: SendableMetatype {
        Index(
            .elements(IndexColumn.elements(of: property)), of: Owner.self, named: name,
            version: version,
            isUnique: false, subset: Self.erased(isIncluded))
    }
}

// MARK: - Unique indexes

extension Index {
    /// Objects in the order of some properties that together no two of them have in common. A save that would
    /// give two objects of one class the same values throws ``StoreError/notUnique(class:index:row:by:)``; those of
    /// subclasses have indexes of their own. `nil` and NaN equal nothing.
    ///
    /// Values whose key takes more than 1,019 bytes cannot be in such an index; a save of one throws
    /// ``StoreError/keyTooLong(class:index:row:)``.
    public static func unique<
        Owner: StoredObject, First: IndexedValue & SendableMetatype,
        each Other: IndexedValue & SendableMetatype
    >(
        _ first: KeyPath<Owner, First> & Sendable,
        _ others: repeat KeyPath<Owner, each Other> & Sendable,
        named name: String? = nil, version: Int = 1,
        where isIncluded: (@Sendable (Owner) -> Bool)? = nil
    ) -> Index {
        var columns = [IndexColumn.values(first)]
        for other in repeat each others { columns.append(.values(other)) }
        return Index(of: Owner.self, columns, name, version, isUnique: true, isIncluded)
    }

    /// A text that is unique under `collation`. See ``unique(_:_:named:version:where:)``.
    public static func unique<Owner: StoredObject>(
        _ text: KeyPath<Owner, String> & Sendable, collation: Collation, named name: String? = nil,
        version: Int = 1, where isIncluded: (@Sendable (Owner) -> Bool)? = nil
    ) -> Index {
        Index(
            of: Owner.self, [.texts(text, collation)], name, version, isUnique: true, isIncluded)
    }

    /// A text or `nil` that is unique under `collation`. See ``unique(_:_:named:version:where:)``.
    public static func unique<Owner: StoredObject>(
        _ text: KeyPath<Owner, String?> & Sendable, collation: Collation,
        named name: String? = nil, version: Int = 1,
        where isIncluded: (@Sendable (Owner) -> Bool)? = nil
    ) -> Index {
        Index(
            of: Owner.self, [.optionalTexts(text, collation)], name, version, isUnique: true,
            isIncluded)
    }
}

extension Index {
    private init<Owner: StoredObject>(
        of owner: Owner.Type, _ columns: [IndexColumn], _ name: String?, _ version: Int,
        isUnique: Bool, _ isIncluded: (@Sendable (Owner) -> Bool)?
    ) {
        self.init(
            .columns(columns), of: owner, named: name, version: version, isUnique: isUnique,
            subset: Self.erased(isIncluded))
    }

    static func erased<Owner: StoredObject>(
        _ isIncluded: (@Sendable (Owner) -> Bool)?
    ) -> (@Sendable (StoredObject) -> Bool)? {
        guard let isIncluded else { return nil }
        return { object in (object as? Owner).map(isIncluded) ?? false }
    }
}
