import CabinetBackend
import Foundation
import Testing
import TrustSupport

@testable import CabinetTextSearch

struct TopHitsTests {
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
