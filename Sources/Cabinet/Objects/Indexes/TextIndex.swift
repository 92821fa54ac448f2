import CabinetTextSearch

/// A text of a class's objects that can be searched: for words, phrases, beginnings, parts and misspelt
/// words.
///
/// ```swift
/// final class Song: StoredObject {
///     @Field var title = ""
///     @Field var lyrics = ""
///
///     override class var textIndexes: [TextIndex] {
///         [.text(\Song.title), .text(\Song.lyrics, tokenizer: .words(language: "en"))]
///     }
/// }
/// let songs = try store.search(Song.self, "choice", in: \.title)
/// ```
///
/// A save changes the index in the same commit as the objects. An index of a class whose objects were
/// saved without it, or with another tokenizer, is built on another thread after the store was opened;
/// until it is complete, searches look at every object.
///
/// `Sendable`: a value. Its closure sees one object, which may be a copy outside any store, and must
/// look at that object's own fields only.
public struct TextIndex: Sendable {
    let owner: StoredObject.Type
    /// The property; `nil` for what a closure makes.
    let keyPath: (AnyKeyPath & Sendable)?
    /// The name that was given; `nil` for the name of the property.
    let givenName: String?
    /// Counts changes of what a closure makes of an object. An index of another version is made anew. If a
    /// closure changes and this does not, searches give wrong results, until `check()` finds it.
    public let version: Int
    /// How texts are taken apart.
    public let tokenizer: Tokenizer
    /// The text of an object; `nil` for one without a text.
    let text: @Sendable (StoredObject) -> String?

    /// The text of a property.
    /// - Parameters:
    ///   - property: the property.
    ///   - tokenizer: how texts are taken apart; Unicode's words at first.
    ///   - name: the index's name, unique among the class's text indexes: ASCII letters, digits, `_`
    ///     and `.`. Without one, the property's name. Queries name it: `title:blue`.
    public static func text<Owner: StoredObject>(
        _ property: KeyPath<Owner, String> & Sendable, tokenizer: Tokenizer = .words,
        named name: String? = nil
    ) -> TextIndex {
        TextIndex(
            owner: Owner.self, keyPath: property, givenName: name, version: 1,
            tokenizer: tokenizer
        ) { ($0 as? Owner)?[keyPath: property] }
    }

    /// The text of a property that may have none.
    public static func text<Owner: StoredObject>(
        _ property: KeyPath<Owner, String?> & Sendable, tokenizer: Tokenizer = .words,
        named name: String? = nil
    ) -> TextIndex {
        TextIndex(
            owner: Owner.self, keyPath: property, givenName: name, version: 1,
            tokenizer: tokenizer
        ) { ($0 as? Owner)?[keyPath: property] }
    }

    /// What `compute` makes of an object: several properties in one, for example.
    /// - Parameters:
    ///   - name: the index's name.
    ///   - version: raise it whenever `compute` says something else than before.
    ///   - tokenizer: how texts are taken apart.
    ///   - compute: looks at the object's own fields only; `nil` leaves the object out.
    public static func computed<Owner: StoredObject>(
        named name: String, version: Int = 1, tokenizer: Tokenizer = .words,
        _ compute: @escaping @Sendable (Owner) -> String?
    ) -> TextIndex {
        TextIndex(
            owner: Owner.self, keyPath: nil, givenName: name, version: version,
            tokenizer: tokenizer
        ) { ($0 as? Owner).flatMap(compute) }
    }
}
