import CabinetBackend
import CabinetTestSupport
import Foundation
import Testing
import TrustSupport

@testable import Cabinet
@testable import CabinetTestModel

/// Words that the texts of a class have, for what a person is typing.
@Suite("Text indexes: suggestions")
struct SuggestionTests {
    /// What the texts say, by a plain look.
    private func expected(
        _ texts: [String], _ tokenizer: Tokenizer, beginning: [UInt8], limit: Int
    ) -> [TextSuggestion] {
        var counts: [[UInt8]: Int] = [:]
        for text in texts {
            var terms = Set<[UInt8]>()
            tokenizer.forEachToken(in: text, TokenWorkspace()) { terms.insert(Array($0.term)) }
            for term in terms where term.starts(with: beginning) { counts[term, default: 0] += 1 }
        }
        let sorted = counts.sorted {
            $0.value == $1.value ? $0.key.lexicographicallyPrecedes($1.key) : $0.value > $1.value
        }
        return sorted.prefix(limit).map { term, count in
            TextSuggestion(
                word: String(decoding: term.drop { $0 == WordTokens.wholeMark }, as: UTF8.self),
                count: count, typos: 0)
        }
    }

    @Test("each finds as many texts as it says", arguments: [true, false])
    func finding(isBuilt: Bool) throws {
        let temporary = try TemporaryStore([SearchedNote.self])
        let store = temporary.store
        for title in ["🧑‍🚀 sings", "🧑 sings 👩🏽‍🚀", "👩‍❤️‍💋‍👩 singt", "🧑🏽 sings", "🇩🇪🇫🇷 sing"] {
            store.insert(SearchedNote(title, ""))
        }
        if isBuilt {
            try store.save()
            try store.indexes.build()
        }
        for typed in ["s", "🧑", "👩", "🇩🇪"] {
            let found = try store.suggestions(for: typed, in: \SearchedNote.title)
            for suggestion in found {
                let hits = try store.search(
                    SearchedNote.self, SearchQuery("title:\"\(suggestion.word)\""))
                #expect(hits.count == suggestion.count, "\(suggestion)")
            }
            #expect(found.isEmpty == (typed == "👩"))
        }
    }

    @Test("they are the words of all texts, pending ones included", arguments: RunSetting.seeds(8))
    func model(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let temporary = try TemporaryStore([SearchedNote.self])
        let store = temporary.store
        var live: [SearchedNote] = []
        for round in 0..<6 {
            for _ in 0..<(round == 0 ? 260 : 20) {
                let note = SearchedNote(
                    SearchWords.text(&random, upTo: 5), SearchWords.text(&random, upTo: 8))
                live.append(note)
                store.insert(note)
            }
            for _ in 0..<30 {
                let index = random.below(live.count)
                if random.once(in: 3) {
                    try store.delete(live.remove(at: index))
                } else {
                    live[index].title = SearchWords.text(&random, upTo: 5)
                    live[index].body = SearchWords.text(&random, upTo: 8)
                }
            }
            for beginning in ["b", "tr", "поез", "x", "é", "電"] {
                let folded = TypedWord(beginning, .words, .none)
                #expect(
                    try store.suggestions(for: beginning, in: \SearchedNote.title, limit: 4)
                        == expected(
                            live.map(\.title), .words, beginning: folded?.term ?? [], limit: 4))
                let english = Tokenizer.words(language: "en")
                let stem = TypedWord(beginning, english, .none)
                #expect(
                    try store.suggestions(for: "other \(beginning)", in: \SearchedNote.body)
                        == expected(
                            live.compactMap(\.body), english, beginning: stem?.term ?? [],
                            limit: 10))
            }
            if round != 4 { try store.save() }
            if round == 3 { try store.keepTexts(unmergedLimit: 1) }
        }
    }

    @Test("typos are forgiven if asked for, and come last")
    func typos() throws {
        let temporary = try TemporaryStore([SearchedNote.self])
        let store = temporary.store
        for title in ["beethoven", "Beethovens 9.", "beethoven", "brahms", "beetle", "bethovem"] {
            store.insert(SearchedNote(title))
        }
        try store.save()
        func words(_ typed: String, _ tolerance: SearchTolerance = .automatic) throws -> [String] {
            try store.suggestions(for: typed, in: \SearchedNote.title, tolerance: tolerance)
                .map { "\($0.word) \($0.count) \($0.typos)" }
        }
        #expect(
            try words("bee") == ["beethoven 2 0", "beethovens 1 0", "beetle 1 0"])
        #expect(
            try words("beeth") == ["beethoven 2 0", "beethovens 1 0", "beetle 1 1", "bethovem 1 1"])
        #expect(try words("brams") == ["brahms 1 1"])
        #expect(try words("brams", .none) == [])
        #expect(try words("rbahms", .upTo(2)) == ["brahms 1 2"])
    }

    @Test("nothing is suggested where no word is typed, or none is known")
    func nothing() throws {
        let temporary = try TemporaryStore([SearchedNote.self])
        let store = temporary.store
        store.insert(SearchedNote("blue", code: "blue"))
        try store.save()
        for typed in ["", " ", "blue ", "…", "!"] {
            #expect(try store.suggestions(for: typed, in: \SearchedNote.title).isEmpty)
        }
        #expect(try store.suggestions(for: "b", in: \SearchedNote.title, limit: 0).isEmpty)
        #expect(try store.suggestions(for: "b", in: \SearchedNote.code).isEmpty)
        #expect(throws: StoreError.notSearchable(class: "SearchedNote", text: "year")) {
            try store.suggestions(for: "b", in: \SearchedNote.year)
        }
    }

    @Test("while an index is not complete, every object is looked at")
    func incomplete() throws {
        let temporary = try TemporaryStore([PlainNote.self])
        let note = PlainNote()
        note.title = "Blue Train"
        temporary.store.insert(note)
        try temporary.store.save()
        let store = try temporary.reopen([SearchedNote.self], access: .readOnly)
        let found = try store.suggestions(for: "t", in: \SearchedNote.title)
        #expect(found == [TextSuggestion(word: "train", count: 1, typos: 0)])
    }
}
