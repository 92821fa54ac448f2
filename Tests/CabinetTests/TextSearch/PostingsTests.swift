import Testing
import TrustSupport

@testable import Cabinet

struct PostingsTests {
    private struct Row: Hashable {
        var row: UInt32
        var positions: [UInt32]
    }

    private func blocks(_ rows: [Row]) -> [[UInt8]] {
        var encoder = PostingsEncoder()
        var blocks: [[UInt8]] = []
        func finish() {
            var bytes: [UInt8] = []
            encoder.finish(into: &bytes)
            blocks.append(bytes)
        }
        for row in rows {
            if encoder.isFull { finish() }
            encoder.append(row: row.row, row.positions)
        }
        if !encoder.isEmpty { finish() }
        return blocks
    }

    private func rows(_ block: [UInt8]) throws -> [Row] {
        try block.withUnsafeBytes { bytes in
            var cursor = try PostingsCursor(bytes)
            var found: [Row] = []
            var positions: [UInt32] = []
            while let posting = try cursor.next() {
                try cursor.readPositions(into: &positions)
                #expect(positions.count == posting.frequency)
                found.append(Row(row: posting.row, positions: positions))
            }
            return found
        }
    }

    private func makeRows(_ random: inout SeededRandom, _ count: Int) -> [Row] {
        let gap = [1, 2, 100, 1 << 20][random.below(4)]
        var row = UInt64(random.below(gap))
        var rows: [Row] = []
        while rows.count < count, row <= UInt64(UInt32.max) {
            var position = UInt64(random.below(5))
            var positions = [UInt32(position)]
            while random.once(in: 3) {
                position += 1 + UInt64(random.below(random.once(in: 9) ? 1 << 30 : 20))
                if position <= UInt64(UInt32.max) { positions.append(UInt32(position)) }
            }
            rows.append(Row(row: UInt32(row), positions: positions))
            row += 1 + UInt64(random.below(gap))
        }
        return rows
    }

    @Test func blocksAreTheBytesOfTheirDescription() {
        let rows = [
            Row(row: 300, positions: [2]), Row(row: 301, positions: [0, 1, 200]),
            Row(row: 400, positions: [7]),
        ]
        #expect(
            blocks(rows) == [
                [2, 0xAC, 2, 100, 5, 0, 1, 1, 0xC4, 1, 2, 0, 0, 0xC6, 1, 7]
            ])
        #expect(blocks([Row(row: 0, positions: [0])]) == [[0, 0, 0, 1, 0, 0]])
    }

    @Test func whatIsWrittenIsRead() throws {
        var random = SeededRandom(seed: RunSetting.seed)
        for _ in 0..<200 {
            let rows = makeRows(&random, 1 + random.below(600))
            let blocks = blocks(rows)
            #expect(try blocks.flatMap { try self.rows($0) } == rows)
            for block in blocks {
                let head = try block.withUnsafeBytes { try PostingsBlock($0) }
                let own = try self.rows(block)
                #expect(head.first == own.first?.row && head.last == own.last?.row)
                #expect(head.rowCount == own.count && own.count <= PostingsBlock.rowLimit)
            }
        }
        let edge = [Row(row: .max, positions: [0, .max])]
        #expect(try self.rows(blocks(edge)[0]) == edge)
    }

    @Test func seekingPassesOverPositions() throws {
        var random = SeededRandom(seed: RunSetting.seed)
        for _ in 0..<300 {
            let rows = makeRows(&random, 1 + random.below(128))
            for block in blocks(rows) {
                let own = try self.rows(block)
                try block.withUnsafeBytes { bytes in
                    var cursor = try PostingsCursor(bytes)
                    var wanted = UInt32(0)
                    var positions: [UInt32] = []
                    var read = Set<UInt32>()
                    while let posting = try cursor.seek(wanted) {
                        let expected = own.first { $0.row >= wanted }
                        #expect(posting.row == expected?.row)
                        if random.once(in: 2), read.insert(posting.row).inserted {
                            try cursor.readPositions(into: &positions)
                            #expect(positions == expected?.positions)
                        }
                        let step = UInt32(random.below(1 << random.below(20)))
                        wanted = max(wanted, posting.row).addingReportingOverflow(step).partialValue
                        if wanted < posting.row { break }
                        if step == 0 { wanted = posting.row &+ 1 }
                        if wanted == 0 { break }
                    }
                }
            }
        }
    }

    /// Every cut and every changed byte gives an error or rows in order, never a trap.
    @Test func damageIsAnErrorOrOtherRows() throws {
        var random = SeededRandom(seed: RunSetting.seed)
        for _ in 0..<60 {
            let rows = makeRows(&random, 1 + random.below(40))
            guard let block = blocks(rows).first else { continue }
            for length in 0..<block.count {
                #expect(throws: PostingsError.self) { try self.rows(Array(block.prefix(length))) }
            }
            #expect(throws: PostingsError.self) { try self.rows(block + [0]) }
            for _ in 0..<200 {
                var damaged = block
                damaged[random.below(damaged.count)] = UInt8(random.below(256))
                guard let found = try? self.rows(damaged) else { continue }
                #expect(zip(found, found.dropFirst()).allSatisfy { $0.row < $1.row })
                #expect(found.allSatisfy { !$0.positions.isEmpty })
                // What is read without an error is what is written for the same rows: one form.
                if !found.isEmpty, found.count <= PostingsBlock.rowLimit {
                    #expect(blocks(found).first == damaged)
                }
            }
        }
        for _ in 0..<5000 {
            let bytes = (0..<random.below(30)).map { _ in
                UInt8(random.below(random.once(in: 2) ? 4 : 256))
            }
            _ = try? rows(bytes)
        }
    }

    @Test func wordsOfLongTextsFillBlocks() throws {
        let many = Row(row: 5, positions: Array(0..<300_000))
        let rows = [many, Row(row: 6, positions: [1]), Row(row: 7, positions: [1])]
        let blocks = blocks(rows)
        #expect(blocks.count == 2 && blocks[0].count < 300_020)
        #expect(try blocks.flatMap { try self.rows($0) } == rows)
    }

    @Test func rowsOutOfOrderTrap() async {
        await #expect(processExitsWith: .failure) {
            var encoder = PostingsEncoder()
            encoder.append(row: 2, [0])
            encoder.append(row: 2, [0])
        }
    }
}
