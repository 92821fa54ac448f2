import CabinetTextSearch
import Testing
import TrustSupport

@testable import Cabinet

/// Rows that are passed over are never among the best.
@Suite("Text indexes: scores")
struct RelevanceScorerTests {
    /// What one word says of some rows: of frequent words mostly the same.
    private func counts(_ random: inout SeededRandom, hasTypos: Bool) -> RowCounts {
        let share = 1 + random.below(6)
        let rows = (1...4000).map { UInt32($0) }.filter { _ in random.once(in: share) }
        let alike = random.once(in: 2)
        return RowCounts(rows, hasTypos: hasTypos) { sums in
            for place in rows.indices where !random.once(in: 50) {
                let isPlain = alike || !random.once(in: 9)
                for _ in 0..<(random.once(in: 20) ? 2 : 1) {
                    sums.add(
                        isPlain ? 1 : 1 + random.below(7), length: 1 + rows[place] % 300 / 40,
                        typos: UInt8(random.below(3)), at: place)
                }
            }
        }
    }

    @Test("of each block the bound is what no row in it is better than")
    func bounds() {
        var random = SeededRandom(seed: RunSetting.seed)
        for round in 0..<20 {
            let counts = counts(&random, hasTypos: round % 2 == 0)
            for place in counts.rows.indices where counts.frequencies[place] > 0 {
                let bound = counts.bounds[place / RowCounts.blockSize]
                #expect(bound.frequency >= counts.frequencies[place])
                #expect(bound.length <= counts.lengths[place])
                #expect(bound.typos <= (counts.typos.isEmpty ? 0 : counts.typos[place]))
            }
        }
    }

    @Test(
        "the best rows are the first of all rows with their scores",
        arguments: RunSetting.some(of: 1...40))
    func best(seed: Int) {
        var random = SeededRandom(seed: UInt64(seed))
        let isOfAll = random.once(in: 2)
        // Of each word its counts in one field or two.
        let words = (0..<1 + random.below(3)).map { _ in
            (0..<1 + random.below(2)).map { _ in
                counts(&random, hasTypos: random.once(in: 2))
            }
        }
        var statistics = SearchStatistics(leaves: words.count)
        (statistics.rows, statistics.length) = (4000, 4000 * (1 + random.below(9)))
        let weights = words.map { _ in Double(random.below(9)) / 3 }
        func has(_ row: UInt32, _ fields: [RowCounts]) -> Bool {
            fields.contains { counts in
                counts.rows.firstIndex(of: row).map { counts.frequencies[$0] > 0 } ?? false
            }
        }
        let rows = (1...4000).map { UInt32($0) }.filter { row in
            !random.once(in: 9)
                && (isOfAll
                    ? words.allSatisfy { has(row, $0) } : words.contains { has(row, $0) })
        }
        func find(best: Int?) -> FoundRows {
            var scorer = RelevanceScorer(areAllThere: isOfAll)
            for (fields, weight) in zip(words, weights) {
                scorer.add(fields.map { PostingCursor($0, statistics, weight: weight) })
            }
            let others = [ScoredRow(row: 5000, score: 1, typos: 1)]
            var found = FoundRows(others, best: best)
            scorer.score(rows, into: &found)
            return found
        }
        let all = find(best: nil)
        #expect(all.total == rows.count + 1 && all.rows.count == rows.count + 1)
        for hit in all.rows where hit.row < 5000 {
            var (score, typos) = (0.0, 0)
            for (fields, weight) in zip(words, weights) {
                var least: Int?
                for counts in fields {
                    guard let place = counts.rows.firstIndex(of: hit.row.rawValue),
                        counts.frequencies[place] > 0
                    else { continue }
                    score += statistics.score(
                        weight: weight, frequency: Int(counts.frequencies[place]),
                        length: Int(counts.lengths[place]))
                    let own = counts.typos.isEmpty ? 0 : Int(counts.typos[place])
                    least = min(least ?? .max, own)
                }
                typos += least ?? 0
            }
            #expect(hit.score == score && hit.typos == typos)
        }
        for limit in [0, 1, 7, 20, 300, 5000] {
            let best = find(best: limit)
            #expect(best.total == all.total)
            #expect(best.sorted() == Array(all.sorted().prefix(limit)), "the first \(limit)")
        }
    }
}
