import Testing
import TrustSupport

@testable import Cabinet

/// Sorted rows and places among them, against sets.
@Suite("Text indexes: rows")
struct RowListTests {
    /// Few or many rows, near to one another or far apart, up to the highest row there is.
    private func rows(_ random: inout SeededRandom) -> [UInt32] {
        let span = UInt64(1) << UInt64(4 + random.below(29))
        let start = random.once(in: 2) ? 1 : (UInt64(1) << 32) - span
        let count = random.below(random.once(in: 3) ? 3000 : 20)
        return Set(
            (0..<count).map { _ in UInt32(max(start + random.next() % span, 1) & 0xFFFF_FFFF) }
        )
        .subtracting([0]).sorted()
    }

    @Test func listsAreJoinedAsSetsAre() {
        var random = SeededRandom(seed: RunSetting.seed)
        for _ in 0..<400 {
            let one = rows(&random)
            let other = random.once(in: 2) ? rows(&random) : one.filter { _ in random.once(in: 20) }
            let common = Set(one).intersection(other).sorted()
            #expect(RowList.intersection(one, other) == common)
            #expect(RowList.intersection(other, one) == common)
            #expect(RowList.union(one, other) == Set(one).union(other).sorted())
            #expect(RowList.difference(one, other) == Set(one).subtracting(other).sorted())
        }
    }

    @Test func sectionsHaveWhatTwoSetsHave() {
        var random = SeededRandom(seed: RunSetting.seed)
        var byBits = 0
        for round in 0..<400 {
            var one = rows(&random)
            var other = random.once(in: 2) ? rows(&random) : one.filter { _ in random.once(in: 3) }
            if round % 8 == 0 {
                // Close together, so that they have bits.
                let start = UInt32(1 + random.below(5000))
                one = (start..<start + 9000).filter { _ in !random.once(in: 5) }
                other = (5000..<12_000).filter { _ in !random.once(in: 5) }
            }
            // Half of the kinds are asked for.
            let kinds = (0..<8 as Range<UInt32>).map {
                CountedRows.Kind(frequency: 1, length: $0, typos: 0)
            }
            let counted = CountedRows(RowIndex(one), kinds, one.map { UInt16($0 % 8) })
            var open = OpenKinds(
                kinds.map { ScoredKind(length: $0.length, score: Double($0.length), typos: 0) },
                [ScoredKind(length: 9, score: 1, typos: 0)])
            var best = BestRows(TopHits(limit: 1))
            best.take(1, 4.5, 0)
            open.close(best, behind: 1)
            let scorer = LeafRows.Scorer(
                LeafRows(CountedRows(RowIndex(other), [kinds[0]], other.map { _ in 0 })),
                SearchStatistics(leaves: 1), weight: 1)
            var (found, count): ([UInt32], Int) = ([], 0)
            withUnsafeTemporaryAllocation(of: UInt32.self, capacity: CommonRows.size) { memory in
                for section in 0..<scorer.sections(of: counted) {
                    let common = scorer.copyCommon(section, of: counted, open, to: memory)
                    count += common.count
                    found += memory[..<common.copied]
                }
            }
            let wanted = Set(one).intersection(other).sorted()
            #expect(count == wanted.count)
            #expect(found == wanted.filter { $0 % 8 >= 4 })
            if !counted.index.bits.isEmpty, scorer.sections(of: counted) != counted.sections {
                byBits += 1
            }
        }
        #expect(byBits > 20)
    }

    @Test func rowsInAnyOrderAreSorted() {
        var random = SeededRandom(seed: RunSetting.seed)
        for _ in 0..<200 {
            let sorted = rows(&random)
            let mixed = (sorted + sorted.filter { _ in random.once(in: 3) } + [0, 0])
                .shuffled(using: &random)
            let found = RowBits.sorted(
                mixed, from: sorted.first ?? .max, through: sorted.last ?? 0)
            #expect(found == sorted)
        }
    }

    @Test func anIndexOfBitsIsThatOfTheirRows() {
        var random = SeededRandom(seed: RunSetting.seed)
        var close = 0
        for round in 0..<60 {
            let start = UInt32(random.below(9000))
            let own = (start + 1..<start + 3000).filter { _ in
                random.once(in: 1 + 2 * round)
            }
            // With words that have no row, before the first and behind the last.
            let bits = RankedBits(base: 0, RowBits.words(of: own, 0, 300))
            #expect(bits.rows == own && bits.count == own.count)
            let (index, other) = (RowIndex(bits), RowIndex(own))
            #expect(index.rows == own)
            close += index.bits.isEmpty ? 0 : 1
            let sought = (0..<13_000 as Range<UInt32>).filter { _ in random.once(in: 50) }
            #expect(sought.map { index.place(of: $0) } == sought.map { other.place(of: $0) })
            #expect(
                sought.map { index.places(from: $0, through: $0 + 70) }
                    == sought.map { other.places(from: $0, through: $0 + 70) })
        }
        #expect(close > 5 && close < 55)
    }

    @Test func anIndexTellsEachRowsPlace() {
        var random = SeededRandom(seed: RunSetting.seed)
        for _ in 0..<200 {
            let own = rows(&random)
            let index = RowIndex(own)
            let sought = (own.filter { _ in random.once(in: 2) } + rows(&random) + [0, .max])
                .shuffled(using: &random)
            var found: [Int: Int] = [:]
            sought.withUnsafeBufferPointer { rows in
                index.forEachPlace(of: rows) { found[$0] = $1 }
            }
            for (number, row) in sought.enumerated() {
                #expect(found[number] == own.firstIndex(of: row))
                #expect(index.place(of: row) == found[number])
            }
            for _ in 0..<20 {
                let ends = [
                    sought.randomElement(using: &random)!, own.randomElement(using: &random) ?? 5,
                ]
                .sorted()
                #expect(
                    index.hasRow(from: ends[0], through: ends[1])
                        == own.contains { ends[0] <= $0 && $0 <= ends[1] })
            }
        }
    }
}
