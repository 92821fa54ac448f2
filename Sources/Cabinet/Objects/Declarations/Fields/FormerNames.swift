/// The names that a property had in earlier programs: `was:` of ``Field``, ``One`` and ``Many``.
///
/// ```swift
/// @Field(was: "title") var name = ""
/// @Field(was: ["name", "title"]) var heading = ""  // `name` last, and `title` before that
/// ```
///
/// The latest comes first. Keep all of them as long as there may be a store that an earlier program
/// wrote last: users skip versions. See <doc:Upgrading>.
///
/// `Sendable`: a value.
public struct FormerNames: Hashable, Sendable, ExpressibleByStringLiteral,
    ExpressibleByArrayLiteral
{
    let names: [String]

    /// Several names, the latest first; an empty list says nothing.
    public init(_ names: [String]) { self.names = names }

    /// One name.
    public init(stringLiteral name: String) { self.init([name]) }

    /// Several names, the latest first; an empty list says nothing.
    public init(arrayLiteral names: String...) { self.init(names) }
}
