import CabinetBackend
import CabinetTestSupport
import Foundation
import Testing
import TrustSupport

@testable import Cabinet

/// Of a prefix that very many terms have, the postings of all terms are united: what is found stays what the
/// definition says.
@Suite("Text indexes: prefixes of very many words")
struct PrefixSearchTests {
    /// 3,000 words on `a`, 500 on `b`, one on `c`.
    private static let words: [String] = {
        var random = SeededRandom(seed: 31)
        func words(_ letter: String, _ count: Int) -> [String] {
            (0..<count).map { letter + String($0 * 7 + random.below(7), radix: 36) }
        }
        return words("a", 3000) + words("b", 500) + ["cedar"]
    }()

    /// Words that only some texts have, three each.
    private static let rareWords = (0..<360).map { "d" + String($0 * 7, radix: 36) }

    private func text(_ random: inout SeededRandom) -> String {
        (0..<random.below(6)).map { _ in
            switch random.below(8) {
            case 0: "train"
            case 1: "april"
            default: Self.words[random.below(Self.words.count)]
            }
        }
        .joined(separator: " ")
    }

    private static let queries =
        [
            "a", "b", "c", "d", "train a", "trian b", "april a", "cedar a", "train april b",
            "aprl train a", "zebra a", "train d", "trian april", "april train",
        ].map { SearchQuery(typed: $0) }
        + ["a* b*", "a* train", "train a* b*", "a* a*", "d* a*"].compactMap { try? SearchQuery($0) }

    private func scored(_ hit: SearchHit<WordNote>) -> ScoredRow {
        ScoredRow(row: hit.object.rowID, score: hit.score, typos: hit.typos)
    }

    private func compare(_ store: Store, _ query: SearchQuery, _ note: String) throws {
        let label = "'\(query.text)', \(note)"
        let wanted = TitleReference(query, try store.objects(of: WordNote.self)).hits
        let byRow = Dictionary(uniqueKeysWithValues: wanted.map { ($0.row, $0) })
        let best = try store.search(WordNote.self, query, in: \.title, limit: 20)
        let all = try store.search(WordNote.self, query, in: \.title)
        #expect(all.totalCount == wanted.count && best.totalCount == wanted.count, "\(label)")
        #expect(Set(all.map(\.object.rowID)) == Set(wanted.map(\.row)), "\(label)")
        for hit in all {
            guard let other = byRow[hit.object.rowID] else { continue }
            #expect(hit.typos == other.typos, "\(label)")
            #expect(abs(hit.score - other.score) < 1e-9, "\(label)")
        }
        for (one, next) in zip(all, all.dropFirst()) {
            #expect(scored(one).precedes(scored(next)), "\(label)")
        }
        #expect(best.map(scored) == all.prefix(20).map(scored), "\(label)")
        let some = try store.search(
            WordNote.self, query, in: \.title, where: #Predicate { $0.year == 3 }, limit: 20)
        let kept = all.filter { $0.object.year == 3 }
        #expect(some.totalCount == kept.count, "\(label)")
        #expect(some.map(scored) == kept.prefix(20).map(scored), "\(label)")
    }

    private func fill(_ store: Store, _ random: inout SeededRandom, _ count: Int) {
        for number in 0..<count {
            let note = WordNote(text(&random))
            note.year = number % 10
            store.insert(note)
        }
    }

    @Test(
        "one letter finds what a look at each text finds, in all segments, beside edits and deletes",
        arguments: RunSetting.some(of: 1...2))
    func agreement(seed: Int) throws {
        var random = SeededRandom(seed: UInt64(seed))
        let store = try Store(inMemory: [WordNote.self])
        for round in 0..<5 {
            if round < 2 { fill(store, &random, 700) }
            if round == 0 {
                for start in stride(from: 0, to: Self.rareWords.count, by: 3) {
                    store.insert(
                        WordNote(Self.rareWords[start..<start + 3].joined(separator: " train ")))
                }
            }
            let notes = try store.objects(of: WordNote.self)
            if round > 0 {
                for _ in 0..<15 { notes[random.below(notes.count)].title = text(&random) }
                for _ in 0..<3 { try store.delete(notes[random.below(notes.count)]) }
            }
            // A text that has very many such words, and then texts of more kinds than a byte has numbers.
            if round == 3 {
                notes[random.below(notes.count)].title = Self.words[..<300].joined(separator: " ")
            }
            if round == 4 {
                for length in 0..<260 {
                    store.insert(WordNote("april" + String(repeating: " zz", count: length)))
                }
            }
            if round != 2 { try store.save() }
            if round > 2 { try store.keepTexts(unmergedLimit: 1) }
            for query in Self.queries { try compare(store, query, "round \(round)") }
        }
    }

    @Test("another store's commit is counted when the store catches up")
    func twoStores() throws {
        var random = SeededRandom(seed: 3)
        let container = StoreContainer(inMemory: [WordNote.self])
        let (one, other) = (try container.makeStore(), try container.makeStore())
        fill(one, &random, 800)
        try one.save()
        let query = SearchQuery(typed: "train a")
        try compare(one, query, "one")
        try other.refresh()
        let notes = try other.objects(of: WordNote.self)
        for note in notes.prefix(30) { note.title = "train april arrow" }
        try other.delete(notes[40])
        try other.save()
        try compare(other, query, "other")
        try compare(one, query, "one, behind")
        try one.refresh()
        try compare(one, query, "one, caught up")
    }
}
