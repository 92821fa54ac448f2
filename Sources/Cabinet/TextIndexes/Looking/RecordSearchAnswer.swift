import CabinetBackend

/// What a search in records has found, and how. `Sendable`: a value.
package struct RecordSearchAnswer: Sendable {
    /// A record that was found.
    package struct Hit: Sendable {
        /// Its row.
        package let row: RowID
        /// How well it fits, by BM25.
        package let score: Double
        /// How many typos were forgiven.
        package let typos: Int
        /// The texts in which something was found.
        package let texts: [FoundText]
    }

    /// A text in which something was found.
    package struct FoundText: Sendable {
        /// The name of its index.
        package let name: String
        /// The part of the text in which most was found.
        package let snippet: String
        /// The same, with what was found in brackets.
        package let marked: String

        init(name: String, _ snippet: SearchSnippet) {
            self.name = name
            self.snippet = snippet.text
            var (marked, end) = ("", snippet.text.startIndex)
            for range in snippet.ranges {
                marked += snippet.text[end..<range.lowerBound] + "[" + snippet.text[range] + "]"
                end = range.upperBound
            }
            self.marked = marked + snippet.text[end...]
        }
    }

    /// The hits, best first.
    package let hits: [Hit]
    /// How many records were found, the limit left aside.
    package let totalCount: Int
    /// The steps with the rows that they left.
    package let plan: QueryPlan
    /// The text indexes that could not be used, and why.
    package let unusedIndexes: [RecordAnswer.UnusedIndex]
}
