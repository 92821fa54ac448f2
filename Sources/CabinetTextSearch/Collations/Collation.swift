/// An order of texts, as bytes that keys keep.
///
/// A collation that an index was built with must stay what it was: ``name``, ``version`` and
/// ``fingerprint`` tell whether it did. Built-in collations follow the Unicode tables of the running
/// standard library, so a newer library can order texts with characters that were new to it
/// differently.
///
/// `Sendable`: its parts are. Collations are equal if name and version are.
public struct Collation: Sendable {
    /// What the collation is known by in a store.
    public let name: String
    /// Counts changes of the order; 1 for those that are built in.
    public let version: Int
    package let method: Method

    package enum Method: Sendable {
        case binary, unicode, caseInsensitive, digitsOnly, numeric
        case own(@Sendable (String) -> [UInt8], keepsPrefixes: Bool)
    }

    private init(_ name: String, _ method: Method) {
        self.name = name
        version = 1
        self.method = method
    }

    /// A collation of your own: texts are in the order of the bytes that `sortKey` makes of them, and
    /// equal if these are.
    ///
    /// Raise `version` whenever `sortKey` changes. It must give the same bytes for the same text in
    /// each run, and for texts that `==` calls equal.
    /// - Parameters:
    ///   - name: what the collation is known by in a store.
    ///   - version: counts changes of the order.
    ///   - keepsPrefixes: whether the bytes of a text begin with those of every text that it begins
    ///     with. Otherwise no index answers `starts(with:)`.
    ///   - sortKey: makes the bytes of a text.
    /// - Precondition: `name` is not that of a collation in ``builtIn``.
    public init(
        name: String, version: Int, keepsPrefixes: Bool = false,
        sortKey: @escaping @Sendable (String) -> [UInt8]
    ) {
        precondition(
            !Self.builtIn.contains { $0.name == name },
            "'\(name)' is the name of a built-in collation.")
        self.name = name
        self.version = version
        method = .own(sortKey, keepsPrefixes: keepsPrefixes)
    }

    /// By the bytes of UTF-8, which is by scalars. Texts that Swift calls equal may differ.
    public static let binary = Collation("binary", .binary)

    /// The order of Swift's own `<` on `String`, the default: by the scalars of the normalization
    /// form C. Texts that `==` calls equal have equal keys.
    public static let unicode = Collation("unicode", .unicode)

    /// Like ``unicode`` of the text without case: of the normalization form C, each scalar is replaced
    /// by its `lowercaseMapping`, each of those by its `uppercaseMapping`, each of those by its
    /// `lowercaseMapping`, and the result is normalized again. So `Straße` and `STRASSE` are equal, `ς`
    /// and `σ` too, and, other than in Unicode's case folding, `ı` and `i`. No language's own rules
    /// count.
    public static let caseInsensitive = Collation("caseInsensitive", .caseInsensitive)

    /// By the decimal digits in the text and nothing else, those of all scripts alike: telephone
    /// numbers. `+49 (30) 1` and `49301` are equal; texts without digits are equal and first.
    public static let digitsOnly = Collation("digitsOnly", .digitsOnly)

    /// Like ``unicode``, but runs of the digits 0 to 9 are compared as whole numbers of any size:
    /// `Track 9` is before `Track 10`. A run sorts where a digit does. Texts that differ in leading
    /// zeros alone come in the order of how many the first differing run has.
    public static let numeric = Collation("numeric", .numeric)

    /// All collations that are built in.
    public static let builtIn = [binary, unicode, caseInsensitive, digitsOnly, numeric]
}

extension Collation: Hashable {
    /// Whether name and version are equal.
    public static func == (one: Collation, other: Collation) -> Bool {
        one.name == other.name && one.version == other.version
    }

    /// Hashes name and version.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(name)
        hasher.combine(version)
    }
}

extension Collation: CustomStringConvertible {
    /// Name and version.
    public var description: String { "\(name) \(version)" }
}
