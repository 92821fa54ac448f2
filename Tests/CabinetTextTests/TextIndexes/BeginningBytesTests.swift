import Testing
import TrustSupport

@testable import Cabinet

/// The bytes of rows of a beginning are what its blocks say.
@Suite("Text indexes: bytes of rows")
struct BeginningBytesTests {
    private func block(
        _ rows: [(row: UInt32, length: UInt32, frequency: Int)]
    ) throws -> (first: UInt32, value: [UInt8]) {
        let packer = PostingsPacker(hasLengths: true)
        for (row, length, frequency) in rows {
            packer.begin(row, length: length, frequency: UInt32(frequency))
            for _ in 0..<frequency { packer.append(0) }
        }
        return (packer.first, Array(packer.finish()))
    }

    private func add(
        _ postings: [(row: UInt32, length: UInt32, frequency: Int)], passed: [UInt32] = [],
        to rows: BeginningRows, areOnlyOnes: Bool = false
    ) throws -> Bool {
        let (first, value) = try block(postings)
        return try value.withUnsafeBytes {
            try BlockReader().read($0, from: first, passed: passed, hasPositions: true) {
                areOnlyOnes ? rows.add(allOf: $0, $1) : rows.add($0, $1)
            }
        }
    }

    @Test("blocks of which none has a row of another are counted as any others are")
    func onlyOnes() throws {
        var random = SeededRandom(seed: 5)
        let (one, other) = (
            BeginningRows(rows: 9000, limit: 1 << 20), BeginningRows(rows: 9000, limit: 1 << 20)
        )
        var row: UInt32 = 0
        for _ in 0..<40 {
            let postings = (0..<1 + random.below(128)).map { _ in
                row += UInt32(1 + random.below(4))
                return (
                    row, row % 40 == 0 ? 300 + row % 3 : row % 9,
                    random.once(in: 6) ? 1 + random.below(12) : 1
                )
            }
            let passed = postings.map(\.0).filter { _ in random.once(in: 9) }
            #expect(try add(postings, passed: passed, to: one, areOnlyOnes: true))
            #expect(try add(postings, passed: passed, to: other))
        }
        #expect(one.count == other.count && one.rows == other.rows && one.number(of: 0) == 0)
        for row in one.rows {
            #expect(
                one.allKinds[one.number(of: row) - 1] == other.allKinds[other.number(of: row) - 1])
        }
        let alike = BeginningRows(rows: 10, limit: 1000)
        for length: UInt32 in 1...255 {
            #expect(try add([(length, length, 9)], to: alike, areOnlyOnes: true))
        }
        #expect(try !add([(257, 70_000, 9)], to: alike, areOnlyOnes: true))
        // A damaged index may say a row twice.
        let twice = BeginningRows(rows: 1000, limit: 1000)
        for _ in 0..<2 { #expect(try add([(7, 3, 1), (9, 3, 1)], to: twice, areOnlyOnes: true)) }
        #expect(twice.rows == [7, 9] && twice.counted.rows == [7, 9])
    }

    @Test("rows that lie too far apart and kinds beyond 255 are said to have no room")
    func room() throws {
        let near = BeginningRows(rows: 10, limit: 1000)
        #expect(try add([(999, 5, 1)], to: near) && near.count == 1)
        #expect(try !add([(1000, 5, 1)], to: near))
        let alike = BeginningRows(rows: 10, limit: 1000)
        for length: UInt32 in 1...255 { #expect(try add([(length, length, 9)], to: alike)) }
        #expect(try add([(256, 255, 9)], to: alike) && alike.count == 256)
        #expect(try !add([(257, 70_000, 9)], to: alike))
    }

    @Test("rows and their kinds are those of the blocks, without rows that do not count")
    func rowsOfBlocks() throws {
        var random = SeededRandom(seed: 8)
        let found = BeginningRows(rows: 500, limit: 1 << 20)
        var wanted: [UInt32: UInt32] = [:]
        func length(_ row: UInt32) -> UInt32 { row % 50 == 0 ? 300 + row % 3 : row % 4 }
        for _ in 0..<200 {
            let rows = Set((0..<1 + random.below(60)).map { _ in UInt32(1 + random.below(9000)) })
            let passed = Set((0..<40).map { _ in UInt32(random.below(9000)) }).sorted()
            let postings = rows.sorted().map {
                ($0, length($0), random.once(in: 9) ? 1 + random.below(9) : 1)
            }
            for (row, _, frequency) in postings where !passed.contains(row) {
                wanted[row, default: 0] += UInt32(frequency)
            }
            #expect(try add(postings, passed: passed, to: found))
        }
        #expect(found.count == wanted.count)
        #expect(found.rows == wanted.keys.sorted())
        let others = (1..<20_000).filter { _ in random.once(in: 3) }.map { UInt32($0) }
        #expect(found.intersection(others) == others.filter { wanted[$0] != nil })
        let kinds = found.allKinds
        var ofKind: [Int: [UInt32]] = [:]
        for row: UInt32 in 0..<20_000 {
            let number = found.number(of: row)
            #expect((number == 0) == (wanted[row] == nil))
            guard number > 0 else { continue }
            #expect(kinds[number - 1].frequency == wanted[row])
            #expect(kinds[number - 1].length == length(row))
            ofKind[number - 1, default: []].append(row)
        }
        #expect(found.first.count == kinds.count)
        for (kind, (rows, areAll)) in found.first.enumerated() {
            let own = ofKind[kind] ?? []
            #expect(rows == Array(own.prefix(CountedRows.firstRows)))
            #expect(areAll == (own.count <= CountedRows.firstRows))
        }
        let counted = found.counted
        #expect(counted.rows == found.rows)
        for row in counted.rows {
            #expect(counted.kind(of: row) == found.number(of: row) - 1)
        }
        #expect(counted.kinds == kinds)
        // The memory is as good as new.
        found.removeAll()
        #expect(found.count == 0 && found.rows.isEmpty && found.counted.rows.isEmpty)
        #expect(try add([(7, 3, 2), (9, 3, 2), (8000, 4, 1)], to: found))
        #expect(found.rows == [7, 9, 8000] && found.areFew)
        #expect(found.counted.rows == found.rows)
        #expect(
            found.allKinds == [
                CountedRows.Kind(frequency: 2, length: 3, typos: 0),
                CountedRows.Kind(frequency: 1, length: 4, typos: 0),
            ])
    }

    @Test(
        "memory of terms one by one serves blocks of which none has a row of another, and these serve terms"
    )
    func memoryForOthers() throws {
        let found = BeginningRows(rows: 1000, limit: 1000)
        #expect(try add([(7, 3, 1), (70, 3, 1), (200, 4, 1)], to: found))
        #expect(found.counted.rows == [7, 70, 200])
        found.removeAll()
        #expect(try add([(9, 3, 1), (300, 5, 2)], to: found, areOnlyOnes: true))
        #expect(found.counted.rows == [9, 300] && found.rows == [9, 300])
        #expect(try add([(9, 3, 1), (400, 5, 1)], to: found))
        #expect(found.counted.rows == [9, 300, 400])
        let counted = found.counted
        #expect(
            counted.rows.map { counted.kind(of: $0).map { counted.kinds[$0] } } == [
                CountedRows.Kind(frequency: 2, length: 3, typos: 0),
                CountedRows.Kind(frequency: 2, length: 5, typos: 0),
                CountedRows.Kind(frequency: 1, length: 5, typos: 0),
            ])
        found.removeAll()
        #expect(try add([(80, 3, 1)], to: found))
        #expect(found.counted.rows == [80])
    }

    @Test("postings in ascending order are counted as any others are")
    func countsInOrder() throws {
        var random = SeededRandom(seed: 12)
        let store = try Store(inMemory: [WordNote.self])
        store.insert(WordNote())
        try store.save()
        let text = try #require(
            store.searchableTexts(of: store.registered(WordNote.self), \WordNote.title).first)
        let reader = LeafReader(
            try TextSnapshot(try #require(text.table), hasLengths: true, store.readerForWalk()))
        for passed in [[], [5, 77, 300, 301]] as [[UInt32]] {
            let postings = TermPostings(hasLengths: true)
            var row: UInt32 = 0
            for _ in 0..<20 {
                let own = (0..<1 + random.below(100)).map { _ in
                    row += UInt32(1 + random.below(3))
                    return (row, row % 7, 1 + random.below(3))
                }
                let (first, value) = try block(own)
                try value.withUnsafeBytes {
                    try postings.append($0, from: first, passed: passed, typos: 0)
                }
            }
            let one = try #require(try CountedRows(inOrder: postings))
            let other = try #require(try CountedRows(postings, reader: reader))
            #expect(one.rows == other.rows && one.rows.allSatisfy { !passed.contains($0) })
            #expect(one.kinds == other.kinds && one.kindOfRow == other.kindOfRow)
            // The first row again: no more in order.
            let (first, value) = try block([(1, 1, 1)])
            try value.withUnsafeBytes {
                try postings.append($0, from: first, passed: passed, typos: 0)
            }
            #expect(try CountedRows(inOrder: postings) == nil)
        }
    }
}
