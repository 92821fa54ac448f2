import Foundation
import Testing

@testable import Cabinet

/// Searches for very many words end soon, or are refused.
@Suite("Searches for many words")
struct ManyWordsTests {
    private func words(_ count: Int) -> [String] {
        (0..<count).map { "w" + String($0, radix: 36) }
    }

    @Test("more words than the limit are refused, where they begin")
    func tooManyWords() throws {
        for separator in [" ", " AND ", "-", ", "] {
            let text = words(20_000).joined(separator: separator)
            for query in [text, "\"\(text)\"", "NEAR(\(text))"] {
                let error = #expect(throws: QuerySyntaxError.self) { try SearchQuery(query) }
                if query == text, separator == " " {
                    #expect(error?.reason == .tooManyWords(limit: SearchQuery.wordLimit))
                    let before = words(SearchQuery.wordLimit).joined(separator: " ")
                    #expect(error?.position == before.utf8.count + 1)
                }
            }
        }
        let letters = String(repeating: "東", count: 20_000)
        #expect(throws: QuerySyntaxError.self) { try SearchQuery(letters) }
        #expect(throws: Never.self) { try SearchQuery(String(repeating: "a", count: 200_000)) }
        #expect(throws: Never.self) {
            try SearchQuery(words(SearchQuery.wordLimit).joined(separator: " "))
        }
    }

    @Test("as many words as there may be", arguments: [true, false])
    func manyWords(byIndex: Bool) throws {
        let store = try Store(inMemory: [SearchedNote.self])
        let words = words(SearchQuery.wordLimit)
        let all = words.joined(separator: " ")
        let same = Array(repeating: "w1", count: SearchQuery.wordLimit).joined(separator: " ")
        store.insert(SearchedNote(all, same))
        store.insert(SearchedNote("w1 w2", "w3"))
        try store.save()
        if byIndex { try store.indexes.build() }
        for (query, titles, bodies) in [
            (all, 1, 0), ("\"\(all)\"", 1, 0), (same, 2, 1), ("\"\(same)\"", 0, 1),
            ("\"\(all.dropLast(4)) missing\"", 0, 0),
            (words[..<2000].joined(separator: " OR "), 2, 2),
            ("w1 -(\(words[3..<2000].joined(separator: " OR ")))", 1, 1),
        ] {
            for (path, found) in [
                (\SearchedNote.title, titles), (\SearchedNote.body, bodies),
            ] as [(PartialKeyPath<SearchedNote>, Int)] {
                let results = try store.search(SearchedNote.self, SearchQuery(query), in: path)
                let label = "\(path) \(query.prefix(20))"
                #expect(results.totalCount == found, "\(label)")
                for hit in results { _ = hit.snippet(in: \SearchedNote.title) }
            }
        }
    }
}
