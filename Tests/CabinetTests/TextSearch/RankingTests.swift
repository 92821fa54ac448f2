import CabinetBackend
import Foundation
import Testing
import TrustSupport

@testable import Cabinet

struct RankingTests {
    /// By hand: N = 4, n = 1, one field of average length 5, a row of 4 words with 2 of them.
    @Test func scoresAreThoseOfTheFormula() {
        let score = RelevanceScore(rowCount: 4, totalLengths: [20], weights: [1])
        // ln(1 + 3.5 / 1.5) = ln(10 / 3)
        #expect(abs(score.rarity(1) - 1.2039728043259361) < 1e-12)
        #expect(abs(score.damping([4]) - 1.02) < 1e-12)  // 1.2 · (0.25 + 0.75 · 0.8)
        let one = score.score([2], rarity: 1, damping: 1.02)
        #expect(abs(one - 2 * 2.2 / 3.02) < 1e-12)
        #expect(score.score([0], rarity: 1, damping: 1.02) == 0)
        #expect(one < score.bound(rarity: 1))
    }

    @Test func fieldsCountByTheirWeights() {
        let score = RelevanceScore(rowCount: 10, totalLengths: [30, 200], weights: [3, 1])
        // Lengths 3 · 2 + 10 = 16 of 3 · 3 + 20 = 29 on average; frequencies 3 · 1 + 4 = 7.
        let damping = 1.2 * (0.25 + 0.75 * 16 / 29)
        #expect(abs(score.damping([2, 10]) - damping) < 1e-12)
        let expected = 7 * 2.2 / (7 + damping)
        #expect(abs(score.score([1, 4], rarity: 1, damping: damping) - expected) < 1e-12)
        let unweighted = RelevanceScore(rowCount: 10, totalLengths: [30, 200], weights: [0, 0])
        #expect(unweighted.score([1, 4], rarity: 1, damping: unweighted.damping([1, 4])) == 0)
    }

    @Test func countsThatAreBehindGiveScores() {
        let score = RelevanceScore(rowCount: 3, totalLengths: [0], weights: [1])
        #expect(score.rarity(5) > 0 && score.rarity(-1) > 0)
        #expect(score.damping([7]) == 1.2)
        let none = RelevanceScore(rowCount: 0, totalLengths: [0], weights: [1])
        #expect(none.rarity(0).isFinite)
    }

    /// Scores of random matches are the sums of the definition, whatever the texts are.
    @Test func scoresOfMatchesEqualTheDefinition() throws {
        var random = SeededRandom(seed: RunSetting.seed)
        let fields = [SearchedField(name: "t", tokenizer: .words)]
        let rows = (0..<60).map { _ in
            (0...random.below(9)).map { _ in
                ScriptSamples.words[random.below(ScriptSamples.words.count)]
            }
            .joined(separator: " ")
        }
        let words = ["nino OR ελα OR мой", "гимн OR 東京 OR gitar", "हिन्दी OR เพลง OR 🎵"]
        let counts = rows.map { row in
            (Tokenizer.words.tokens(of: row).map(\.position).max() ?? -1) + 1
        }
        let score = RelevanceScore(
            rowCount: rows.count, totalLengths: [counts.reduce(0, +)], weights: [1])
        for text in words {
            let terms = text.components(separatedBy: " OR ").map {
                Tokenizer.words.terms(of: $0, for: .query)[0]
            }
            var matcher = SearchMatcher(CompiledSearch(try SearchQuery(text), fields))
            let having = terms.map { term in
                rows.filter { Tokenizer.words.terms(of: $0).contains(term) }.count
            }
            for (row, length) in zip(rows, counts) {
                guard let match = matcher.match([row]) else { continue }
                let found = score.score(match, rarities: having.map { score.rarity($0) })
                let n = Double(rows.count)
                let average = Double(counts.reduce(0, +)) / n
                let expected = zip(terms, having).reduce(0.0) { sum, item in
                    let tf = Double(Tokenizer.words.terms(of: row).filter { $0 == item.0 }.count)
                    let idf = log(1 + (n - Double(item.1) + 0.5) / (Double(item.1) + 0.5))
                    return sum + idf * tf * 2.2
                        / (tf + 1.2 * (0.25 + 0.75 * Double(length) / average))
                }
                #expect(abs(found - expected) < 1e-9)
            }
        }
    }

    @Test(arguments: [0, 1, 2, 20, 1000])
    func topHitsAreTheFirstOfAllSorted(_ limit: Int) {
        var random = SeededRandom(seed: RunSetting.seed)
        for _ in 0..<50 {
            let hits = (0..<random.below(300)).map { row in
                ScoredRow(
                    row: RowID(UInt32(row)), score: Double(random.below(7)), typos: random.below(3))
            }.shuffled(using: &random)
            var top = TopHits(limit: limit)
            for hit in hits { top.insert(hit) }
            let sorted = hits.sorted {
                ($0.typos, -$0.score, $0.row) < ($1.typos, -$1.score, $1.row)
            }
            #expect(top.sorted() == Array(sorted.prefix(limit)))
            #expect(top.total == hits.count)
            #expect(top.last == (hits.count < limit || limit == 0 ? nil : sorted[limit - 1]))
        }
    }
}
