import CabinetBackend
import Testing
import TrustSupport

@testable import Cabinet

/// Blocks of postings, and what searches read of them.
@Suite("Text indexes: postings")
struct PostingsBlockTests {
    private struct Posting: Equatable {
        let row: UInt32
        let length: UInt32
        let positions: [UInt32]
    }

    private func postings(_ random: inout SeededRandom, _ count: Int) -> [Posting] {
        // Rows end at 2^32: 200 gaps of 24 bits, or 1,000 of 22, stay below.
        let widest = UInt32(1) << UInt32(1 + random.below(count > 200 ? 22 : 24))
        var row: UInt32 = 0
        return (0..<count).map { _ in
            row += 1 + UInt32(random.next() % UInt64(widest))
            let times = random.once(in: 4) ? 1 + random.below(9) : 1
            let limit = random.once(in: 9) ? UInt64(1) << 32 : 1000
            let positions = Set((0..<times).map { _ in UInt32(random.next() % limit) }).sorted()
            let length = UInt32(random.next() % UInt64(widest))
            return Posting(row: row, length: length, positions: positions)
        }
    }

    private func written(
        _ all: [Posting], hasLengths: Bool
    ) throws -> [(first: UInt32, value: [UInt8])] {
        var postings = Postings()
        for posting in all {
            postings.append(
                posting.row, length: hasLengths ? posting.length : 0, posting.positions)
        }
        var blocks: [(UInt32, [UInt8])] = []
        var writer = SegmentWriter(7, hasLengths: hasLengths) { key, value in
            blocks.append(
                (TextKeys.number(in: key, at: key.count - 4)!, Array(value)))
        }
        try Array("term".utf8).withUnsafeBytes { try writer.write($0, postings) }
        return blocks
    }

    /// The example of FORMATS.md, packed by hand: rows 300, 301 and 400, in texts of 5, 3 and 6 positions,
    /// at 2; at 0 and 1; at 4.
    @Test func aBlockIsAsItsFormatSays() throws {
        let all = [
            Posting(row: 300, length: 5, positions: [2]),
            Posting(row: 301, length: 3, positions: [0, 1]),
            Posting(row: 400, length: 6, positions: [4]),
        ]
        // Gaps 0, 98 of 7 bits; lengths 5, 3, 6 of 3; frequencies less one 0, 1, 0 of 1; positions 2, 0, 0, 4
        // of 3: from the lowest bit on.
        let bits: [(UInt64, UInt64)] = [
            (0, 7), (98, 7), (5, 3), (3, 3), (6, 3), (0, 1), (1, 1), (0, 1), (2, 3), (0, 3), (0, 3),
            (4, 3),
        ]
        var (packed, shift): (UInt64, UInt64) = (0, 0)
        for (number, width) in bits {
            packed |= number << shift
            shift += width
        }
        let wanted: [UInt8] =
            [0x82, 7, 3, 1, 3] + (0..<5).map { UInt8(truncatingIfNeeded: packed >> (8 * $0)) }
        let blocks = try written(all, hasLengths: true)
        #expect(blocks.count == 1)
        #expect(blocks.first?.first == 300)
        #expect(blocks.first?.value == wanted)
    }

    @Test("postings come back from blocks as they were", arguments: [true, false])
    func roundTrip(hasLengths: Bool) throws {
        var random = SeededRandom(seed: RunSetting.seed)
        for round in 0..<60 {
            let all = postings(&random, 1 + random.below(round % 10 == 0 ? 700 : 20))
            let blocks = try written(all, hasLengths: hasLengths)
            var read = Postings()
            let found = TermPostings(hasLengths: hasLengths)
            for (first, value) in blocks {
                try value.withUnsafeBytes {
                    try read.readBlock($0, from: first, hasLengths: hasLengths)
                    try found.append($0, from: first, passed: [], typos: 0)
                }
            }
            #expect(read.rows == all.map(\.row))
            #expect(found.rows == all.map(\.row))
            #expect(read.lengths == all.map { hasLengths ? $0.length : 0 })
            for (index, posting) in all.enumerated() {
                #expect(Array(read.positions(of: index)) == posting.positions)
            }
        }
    }

    /// What is skipped is not missed: for any rows, the blocks say what all postings say of these.
    @Test("of some rows, that is found which a look at all postings finds", arguments: 1...40)
    func someRows(seed: Int) throws {
        var random = SeededRandom(seed: UInt64(seed))
        let found = TermPostings(hasLengths: true)
        // Two terms at most at one position, with typos; a row of either may not count.
        let terms = (0..<1 + random.below(3)).map { _ in postings(&random, 1 + random.below(500)) }
        let passed = Set(
            terms.joined().filter { _ in random.once(in: 8) }.map(\.row)
        ).sorted()
        for (typos, term) in terms.enumerated() {
            for (first, value) in try written(term, hasLengths: true) {
                try value.withUnsafeBytes {
                    try found.append($0, from: first, passed: passed, typos: typos)
                }
            }
        }
        let counting = terms.map { $0.filter { !passed.contains($0.row) } }
        let rows = Set(counting.joined().map(\.row)).sorted()
        #expect(found.rows == rows)
        let others = (0..<20).map { _ in 1 + UInt32(random.next() % (1 << 20)) }
        let share = 1 + random.below(12)
        let index = RowIndex(
            Set(rows.filter { _ in random.once(in: share) } + others).subtracting(passed).sorted())
        let hits = try found.hits(at: index)
        let counts = try found.counts(at: index)
        let wanted = index.rows.filter { row in rows.contains(row) }
        #expect(hits.rows == wanted)
        for (place, row) in index.rows.enumerated() {
            let own = counting.enumerated().compactMap { typos, term in
                term.first { $0.row == row }.map { (typos, $0) }
            }
            #expect(Int(counts.frequencies[place]) == own.reduce(0) { $0 + $1.1.positions.count })
            guard let last = own.last, let posting = hits.rows.firstIndex(of: row) else {
                #expect(own.isEmpty)
                continue
            }
            #expect(counts.lengths[place] == last.1.length)
            #expect(hits.postings.lengths[posting] == last.1.length)
            #expect(hits.typos(of: posting) == own.map(\.0).min())
            #expect(counts.typos.isEmpty || Int(counts.typos[place]) == own.map(\.0).min())
            let places = Set(own.flatMap(\.1.positions)).sorted()
            #expect(Array(hits.postings.positions(of: posting)) == places)
        }
    }

    /// Bytes from a disk may be anything: they are refused, or read within their bounds.
    @Test("any bytes are a block or are refused", arguments: [true, false])
    func anyBytes(hasLengths: Bool) throws {
        var random = SeededRandom(seed: RunSetting.seed)
        var (blocks, refused) = (0, 0)
        for round in 0..<20_000 {
            var value = (0..<random.below(40)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
            var first = UInt32(truncatingIfNeeded: random.next())
            if round % 2 == 0 {
                let all = postings(&random, 1 + random.below(30))
                (first, value) = try written(all, hasLengths: hasLengths)[0]
                for _ in 0..<random.below(3) {
                    value[random.below(min(value.count, round % 4 == 0 ? 5 : value.count))] =
                        UInt8(truncatingIfNeeded: random.next())
                }
                if random.once(in: 5) { value.removeLast(random.below(value.count)) }
            }
            do {
                let found = TermPostings(hasLengths: hasLengths)
                try value.withUnsafeBytes {
                    try found.append($0, from: first, passed: [], typos: 0)
                }
                let index = RowIndex(found.rows)
                // Of some rows: those that are passed may claim any number of positions.
                let some = index.rows.filter { _ in random.once(in: 2) }
                #expect(try found.hits(at: RowIndex(some)).rows.count == some.count)
                _ = try found.counts(at: index)
                #expect(try found.hits(at: index).rows.count == index.count)
                blocks += 1
            } catch is DataBufferError {
                refused += 1
            }
        }
        #expect(blocks > 1000 && refused > 1000)
    }
}
