/// How many typos a typed query forgives in each word. `Sendable`: a value.
///
/// A typo is a letter too many, missing or another one, or two neighbours that changed places. One that
/// touches the first letter counts as two.
public struct SearchTolerance: Sendable, Hashable {
    enum Rule: Sendable, Hashable {
        case automatic
        case upTo(Int)
    }

    let rule: Rule

    /// None in words of up to 4 letters, one up to 8, two beyond. Letters are Unicode scalars of the
    /// folded word.
    public static let automatic = SearchTolerance(rule: .automatic)
    /// None.
    public static let none = SearchTolerance(rule: .upTo(0))

    /// The same number in each word of any length: 0, 1 or 2.
    /// - Precondition: `typos` is from 0 to 2.
    public static func upTo(_ typos: Int) -> SearchTolerance {
        precondition(0...2 ~= typos, "A search forgives 0 to 2 typos, not \(typos).")
        return SearchTolerance(rule: .upTo(typos))
    }

    /// How many typos a word of so many letters may have.
    package func limit(letters: Int) -> Int {
        switch rule {
        case .upTo(let typos): typos
        case .automatic: letters <= 4 ? 0 : letters <= 8 ? 1 : 2
        }
    }
}
