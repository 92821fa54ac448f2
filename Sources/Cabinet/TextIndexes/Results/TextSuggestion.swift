/// A word that texts of a corpus have. `Sendable`: a value.
public struct TextSuggestion: Sendable, Hashable {
    /// The word as the index has it: without case and, unless its tokenizer keeps them, accents.
    public let word: String
    /// In how many objects' texts it stands.
    public let count: Int
    /// How many typos what was typed has, if it is the beginning of the word.
    public let typos: Int
}
