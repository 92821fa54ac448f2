import CabinetTestSupport
import Foundation
import Testing
import TrustSupport

@testable import Cabinet

/// Of words that thousands of texts have only some rows are scored: what is found stays what the definition says.
@Suite("Text indexes: frequent words")
struct FrequentWordTests {
    private static let words = ["train", "trains", "trial", "trail", "blue", "blues", "bled"]

    private func text(_ random: inout SeededRandom) -> String {
        (0..<1 + random.below(4)).map { _ in
            random.once(in: 3) ? "train" : Self.words[random.below(Self.words.count)]
        }
        .joined(separator: " ")
    }

    private static let queries = [
        "t", "tr", "tra", "train", "trian", "trains", "trail", "blue", "blues", "train b",
        "trian blue", "t b", "blues trai", "trial train blue",
        // Words that have the rows of one frequent word in common.
        "train trian", "trian train", "trial trian", "train trai", "trian trial blue",
    ]
    .map { SearchQuery(typed: $0) }

    @Test(
        "the best, all in order of rows and those of a predicate are what a look at each text says",
        arguments: RunSetting.some(of: 1...2))
    func agreement(seed: Int) throws {
        var random = SeededRandom(seed: UInt64(seed))
        let store = try Store(inMemory: [WordNote.self])
        let isWhole = RunSetting.share == 1
        // A look at each text takes most of the time.
        for _ in 0..<2 {
            for number in 0..<(isWhole ? 2000 : 1000) {
                let note = WordNote(text(&random))
                note.year = number % 10
                store.insert(note)
            }
            try store.save()
        }
        for round in 0..<3 {
            let notes = try store.objects(of: WordNote.self)
            // Rows that the segments do not count any more.
            if round > 0 {
                for _ in 0..<15 { notes[random.below(notes.count)].title = text(&random) }
                for _ in 0..<3 { try store.delete(notes[random.below(notes.count)]) }
            }
            if round == 1 { try store.save() }
            let live = try store.objects(of: WordNote.self)
            for query in Self.queries
            where (isWhole && round == 0) || random.once(in: 3) {
                let label = "'\(query.text)', round \(round)"
                let wanted = TitleReference(query, live).hits
                let byRow = Dictionary(uniqueKeysWithValues: wanted.map { ($0.row, $0) })
                let all = try store.query(WordNote.self).search(query, in: \.title, orderedBy: .row)
                #expect(all.map(\.object.rowID) == wanted.map(\.row).sorted(), "\(label)")
                for hit in all {
                    let other = try #require(byRow[hit.object.rowID])
                    #expect(hit.typos == other.typos && hit.score == 0, "\(label)")
                }
                let ranked = try store.search(WordNote.self, query, in: \.title)
                #expect(ranked.count == wanted.count, "\(label)")
                for hit in ranked {
                    let other = try #require(byRow[hit.object.rowID])
                    #expect(hit.typos == other.typos, "\(label)")
                    #expect(abs(hit.score - other.score) < 1e-9, "\(label)")
                }
                for (one, next) in zip(ranked, ranked.dropFirst()) {
                    let (first, second) = (scored(one), scored(next))
                    #expect(first.precedes(second), "\(label)")
                }
                for (limit, offset) in [(20, 0), (5, 3), (0, 0), (100, 0), (5000, 0)] {
                    let best = try store.search(
                        WordNote.self, query, in: \.title, limit: limit, offset: offset)
                    #expect(best.totalCount == wanted.count, "\(label)")
                    #expect(
                        best.map(scored) == ranked.dropFirst(offset).prefix(limit).map(scored),
                        "\(label), the first \(limit)")
                }
                let some = try store.search(
                    WordNote.self, query, in: \.title, where: #Predicate { $0.year == 3 },
                    limit: 20)
                let kept = ranked.filter { $0.object.year == 3 }
                #expect(some.totalCount == kept.count, "\(label)")
                #expect(some.map(scored) == kept.prefix(20).map(scored), "\(label)")
            }
        }
    }

    private func scored(_ hit: SearchHit<WordNote>) -> ScoredRow {
        ScoredRow(row: hit.object.rowID, score: hit.score, typos: hit.typos)
    }
}
