import CabinetTextSearch

/// The objects of a class in groups of one value each, and within a group in an order: a list that the store
/// keeps, so that showing it counts and sorts nothing.
///
/// ```swift
/// final class Song: StoredObject {
///     @Field var title = ""
///     @Field var artist = ""
///     @Field var year = 0
///
///     override class var arrangements: [Arrangement] {
///         [.arranged(\Song.title, groupedBy: \Song.artist, named: "byArtist")]
///     }
/// }
/// let byArtist = try store.indexes.arrangement("byArtist", of: Song.self, groupedBy: String.self)
/// for group in try byArtist.groups() { print(group.key, group.count) }
/// ```
///
/// An arrangement is an ``Index`` whose first column is the group. Saves change it in the same commit as
/// the objects; a thread builds it beside saves, a check compares it with the records, queries use it as
/// any index of these columns unless it leaves objects out, and its name is unique among the class's indexes. A class declares it
/// (``StoredObject/arrangements``), or ``StoreIndexes/register(_:of:)-(Arrangement,_)`` adds it to an open
/// store.
///
/// Groups and orders ascend. `nil` is before all values; objects that are equal by all of the order are in the order
/// of their rows, and so are those whose keys are equal in the 1,019 bytes that a key has. A group whose
/// own key is longer cannot be read: ``OrderedKeyError/cut``.
///
/// `Sendable`: a value. Its closures see one object each, which may be a copy outside any store, and
/// must look at that object's own fields only.
public struct Arrangement: Sendable {
    let index: Index

    /// Its name: ASCII letters, digits, `_` and `.`.
    public var name: String { index.givenName ?? "" }
    /// Counts changes of what closures make of an object. An arrangement of another version is made anew.
    public var version: Int { index.version }

    private init<Owner: StoredObject>(
        _ columns: [IndexColumn], named name: String, version: Int,
        where isIncluded: (@Sendable (Owner) -> Bool)?
    ) {
        index = Index(
            .columns(columns), of: Owner.self, named: name, version: version, isUnique: false,
            subset: Index.erased(isIncluded)
        ).asArrangement()
    }

    /// Objects in groups of one value of `group`, within each in the order of properties: by the first,
    /// where that is equal by the second.
    /// - Parameters:
    ///   - order: the properties, of types that an ``Index`` takes.
    ///   - group: the property that all objects of a group agree in.
    ///   - isIncluded: which objects are in the arrangement; `nil` for all.
    ///   - name: unique among the class's indexes: ASCII letters, digits, `_` and `.`.
    ///   - version: raise it when `isIncluded` says something else than before.
    public static func arranged<
        Owner: StoredObject, Group: OrderedKeyValue & SendableMetatype,
        each Order: IndexedValue & SendableMetatype
    >(
        _ order: repeat KeyPath<Owner, each Order> & Sendable,
        groupedBy group: KeyPath<Owner, Group> & Sendable,
        where isIncluded: (@Sendable (Owner) -> Bool)? = nil, named name: String,
        version: Int = 1
    ) -> Arrangement {
        var columns: [IndexColumn] = [.values(group)]
        repeat columns.append(.values(each order))
        return Arrangement(columns, named: name, version: version, where: isIncluded)
    }

    /// As ``arranged(_:groupedBy:where:named:version:)``, by a text in the order of `collation`.
    public static func arranged<Owner: StoredObject, Group: OrderedKeyValue & SendableMetatype>(
        _ text: KeyPath<Owner, String> & Sendable, collation: Collation,
        groupedBy group: KeyPath<Owner, Group> & Sendable,
        where isIncluded: (@Sendable (Owner) -> Bool)? = nil, named name: String,
        version: Int = 1
    ) -> Arrangement {
        Arrangement(
            [.values(group), .texts(text, collation)], named: name, version: version,
            where: isIncluded)
    }

    /// Objects in groups and in an order of what closures make of each.
    /// - Parameters:
    ///   - name: unique among the class's indexes.
    ///   - version: raise it whenever one of the closures says something else than before.
    ///   - isIncluded: which objects are in the arrangement; `nil` for all.
    ///   - group: the group of an object.
    ///   - order: what objects of a group are sorted by.
    public static func computed<
        Owner: StoredObject, Group: OrderedKeyValue & SendableMetatype,
        Order: IndexedValue & SendableMetatype
    >(
        named name: String, version: Int = 1, where isIncluded: (@Sendable (Owner) -> Bool)? = nil,
        groupedBy group: @escaping @Sendable (Owner) -> Group,
        by order: @escaping @Sendable (Owner) -> Order
    ) -> Arrangement {
        Arrangement(
            [.computed(group), .computed(order)], named: name, version: version, where: isIncluded)
    }

    /// A further arrangement: the same groups and order, of those objects alone of which `isIncluded`
    /// is true, too.
    /// - Parameters:
    ///   - name: its own name.
    ///   - version: raise it when `isIncluded` says something else than before. What this arrangement
    ///     counts is added.
    ///   - isIncluded: which of the objects are in it.
    public func filtered<Owner: StoredObject>(
        named name: String, version: Int = 1,
        where isIncluded: @escaping @Sendable (Owner) -> Bool
    ) -> Arrangement {
        let (narrower, wider) = (Index.erased(isIncluded), index.subset)
        return Arrangement(
            index: Index(
                index.content, of: index.owner, named: name,
                version: index.version &+ version &- 1, isUnique: false
            ) { object in
                (wider?(object) ?? true) && (narrower?(object) ?? true)
            }.asArrangement())
    }

    private init(index: Index) { self.index = index }

    /// The same arrangement, but made anew where one of its collations has changed: see
    /// ``Index/followingCollations()``.
    public func followingCollations() -> Arrangement {
        Arrangement(index: index.followingCollations())
    }
}

extension StoredObject {
    /// All indexes that the class declares, those of its arrangements among them.
    final class var declaredIndexes: [Index] {
        let arrangements = arrangements
        return arrangements.isEmpty ? indexes : indexes + arrangements.map(\.index)
    }
}
