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

    @Test func rowsInAnyOrderAreSorted() {
        var random = SeededRandom(seed: RunSetting.seed)
        for _ in 0..<200 {
            let sorted = rows(&random)
            let mixed = (sorted + sorted.filter { _ in random.once(in: 3) } + [0, 0])
                .shuffled(using: &random)
            let index = RowIndex(sorting: mixed)
            #expect(index.rows == sorted)
            for row in sorted { #expect(index.place(of: row) == sorted.firstIndex(of: row)) }
        }
    }

    @Test func anIndexTellsEachRowsPlace() {
        var random = SeededRandom(seed: RunSetting.seed)
        for _ in 0..<200 {
            let own = rows(&random)
            let index = RowIndex(own)
            let wanted = (own.filter { _ in random.once(in: 2) } + rows(&random) + [0, .max])
                .shuffled(using: &random)
            var found: [Int: Int] = [:]
            wanted.withUnsafeBufferPointer { rows in
                index.forEachPlace(of: rows) { found[$0] = $1 }
            }
            for (number, row) in wanted.enumerated() {
                #expect(found[number] == own.firstIndex(of: row))
                #expect(index.place(of: row) == found[number])
            }
            for _ in 0..<20 {
                let ends = [
                    wanted.randomElement(using: &random)!, own.randomElement(using: &random) ?? 5,
                ]
                .sorted()
                #expect(
                    index.hasRow(from: ends[0], through: ends[1])
                        == own.contains { ends[0] <= $0 && $0 <= ends[1] })
            }
        }
    }
}
