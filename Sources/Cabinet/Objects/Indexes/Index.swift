/// What an index keeps in order: one property or several of a class's objects, or values that a
/// closure makes of them.
///
/// ```swift
/// final class Song: StoredObject {
///     @Field var title = ""
///     @Field var artist = ""
///     @Field var year = 0
///     @Field var isrc: String?
///     @Field var rating = 0
///
///     override class var indexes: [Index] {
///         [
///             .ordered(\Song.artist, \Song.year),
///             .unique(\Song.isrc),
///             .ordered(\Song.title, collation: .caseInsensitive),
///             .ordered(\Song.rating, named: "rated", version: 2, where: { $0.rating > 0 }),
///         ]
///     }
/// }
/// ```
///
/// A class declares its indexes (``StoredObject/indexes``). A save changes them in the same commit as
/// the objects, whatever changed these: edits, the other side of a relationship, delete rules, undo,
/// upgrades. Queries use them by themselves, and ``StoreQuery/explain(running:)`` says which.
///
/// An index of a class whose objects were saved without it is built on another thread after the store
/// was opened; until it is complete, queries scan.
///
/// `Sendable`: a value. Its closures see one object each, which may be a copy outside any store, and
/// must look at that object's own fields only: an index does not learn of changes to others.
public struct Index: Sendable {
    enum Content: Sendable {
        /// One key, of a part for each column.
        case columns([IndexColumn])
        /// A key for each element of one property.
        case elements(IndexColumn)
    }

    let content: Content
    let owner: StoredObject.Type
    /// The name that was given; `nil` for one made of the properties' names.
    let givenName: String?
    /// Counts changes of what closures make of an object. An index of another version is made anew.
    public let version: Int
    /// Whether no two objects may have an equal key. `nil` and NaN equal nothing.
    public let isUnique: Bool
    /// Which objects are in the index; `nil` for all.
    let subset: (@Sendable (StoredObject) -> Bool)?
    /// Whether a collation that has changed leads to a new index, and not to an error.
    private(set) var followsCollations = false
    /// Whether its first column is the group of an ``Arrangement``. Keys do not tell.
    private(set) var isArrangement = false

    init(
        _ content: Content, of owner: StoredObject.Type, named name: String?, version: Int,
        isUnique: Bool, subset: (@Sendable (StoredObject) -> Bool)?
    ) {
        self.content = content
        self.owner = owner
        givenName = name
        self.version = version
        self.isUnique = isUnique
        self.subset = subset
    }

    /// The same index, but if one of its collations orders texts differently than when the index was
    /// built, opening the store makes the index anew; otherwise it throws
    /// ``StoreError/collationChanged(class:index:collation:)``.
    public func followingCollations() -> Index {
        var index = self
        index.followsCollations = true
        return index
    }

    func asArrangement() -> Index {
        var index = self
        index.isArrangement = true
        return index
    }

    var columns: [IndexColumn] {
        switch content {
        case .columns(let columns): columns
        case .elements(let column): [column]
        }
    }

    var isMultiple: Bool {
        if case .elements = content { true } else { false }
    }
}
