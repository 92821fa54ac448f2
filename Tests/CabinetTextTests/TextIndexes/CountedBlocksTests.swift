import Testing
import TrustSupport

@testable import Cabinet

/// Rows of a term that are collected block after block have the kinds that the blocks say.
@Suite("Text indexes: counted blocks")
struct CountedBlocksTests {
    private struct Posting {
        let row: UInt32
        let length: UInt32
        let frequency: Int
    }

    /// Adds postings of one segment, without those among `passed`.
    private func add(
        _ postings: [Posting], passed: [UInt32], to blocks: CountedBlocks
    ) throws -> Bool {
        var start = 0
        while start < postings.count {
            let end = min(start + PostingsBlock.limit, postings.count)
            let packer = PostingsPacker(hasLengths: true)
            for posting in postings[start..<end] {
                packer.begin(
                    posting.row, length: posting.length, frequency: UInt32(posting.frequency))
                for _ in 0..<posting.frequency { packer.append(0) }
            }
            let first = packer.first
            let isCountable = try BlockReader().read(
                packer.finish(), from: first, passed: passed
            ) { blocks.add($0, $1) }
            guard isCountable else { return false }
            start = end
        }
        return true
    }

    @Test("rows of segments, apart or not, in any order", arguments: 1...40)
    func segments(seed: Int) throws {
        var random = SeededRandom(seed: UInt64(seed))
        let rows = (1...6000).map { UInt32($0) }.filter { _ in !random.once(in: 4) }
        let areApart = random.once(in: 2)
        let segments = (0..<4).map { segment in
            rows.enumerated().filter { place, row in
                areApart ? place * 4 / rows.count == segment : row % 4 == segment
            }
            .map {
                Posting(
                    row: $1, length: UInt32(1 + random.below(random.once(in: 9) ? 900 : 12)),
                    frequency: random.once(in: 5) ? 1 + random.below(20) : 1)
            }
        }
        let passed = rows.filter { _ in random.once(in: 10) }
        let blocks = CountedBlocks()
        for segment in segments.shuffled(using: &random) {
            #expect(try add(segment, passed: passed, to: blocks))
        }
        let counted = blocks.counted
        let left = Set(passed)
        let wanted = segments.joined().filter { !left.contains($0.row) }
        #expect(counted.rows == wanted.map(\.row).sorted())
        for posting in wanted {
            let kind = counted.kinds[try #require(counted.kind(of: posting.row))]
            #expect(
                kind
                    == .init(
                        frequency: UInt32(posting.frequency), length: posting.length, typos: 0))
        }
    }

    @Test("more kinds than numbers are said to be too many, and no rows are none")
    func limits() throws {
        let many = (1...70_000).map { Posting(row: UInt32($0), length: UInt32($0), frequency: 1) }
        #expect(try !add(many, passed: [], to: CountedBlocks()))
        #expect(CountedBlocks().counted.rows.isEmpty)
        // A damaged index may say a row twice.
        let twice = CountedBlocks()
        for length: UInt32 in [3, 4] {
            #expect(
                try add(
                    [Posting(row: 7, length: length, frequency: 1)], passed: [], to: twice))
        }
        #expect(twice.counted.rows == [7])
    }

    @Test("blocks of damaged bytes are refused, or are some rows")
    func damage() throws {
        var random = SeededRandom(seed: RunSetting.seed)
        var (refused, read) = (0, 0)
        for _ in 0..<60 {
            let blocks = CountedBlocks()
            for _ in 0..<40 {
                let packer = PostingsPacker(hasLengths: true)
                for row: UInt32 in 1...UInt32(1 + random.below(128)) {
                    let frequency = 1 + random.below(3)
                    packer.begin(
                        row * 3, length: UInt32(random.below(9)), frequency: UInt32(frequency))
                    for _ in 0..<frequency { packer.append(0) }
                }
                var value = Array(packer.finish())
                for _ in 0..<1 + random.below(3) {
                    value[random.below(random.once(in: 2) ? 4 : value.count) % value.count] ^=
                        UInt8(1) << UInt8(random.below(8))
                }
                if random.once(in: 5) { value.removeLast(random.below(value.count)) }
                let first = UInt32(
                    truncatingIfNeeded: random.next() >> UInt64(32 + random.below(31)))
                value.withUnsafeBytes { value in
                    do {
                        _ = try BlockReader().read(
                            value, from: first, passed: [6, 9, 300]
                        ) { blocks.add($0, $1) }
                        read += 1
                    } catch {
                        refused += 1
                    }
                }
            }
            let counted = blocks.counted
            #expect(counted.rows == Set(counted.rows).sorted())
            #expect(counted.kindOfRow.count == counted.rows.count)
        }
        #expect(refused > 100 && read > 100)
    }
}
