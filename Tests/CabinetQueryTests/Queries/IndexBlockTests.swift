import CabinetBackend
import CabinetTestSupport
import Foundation
import Testing
import TrustSupport

@testable import Cabinet
@testable import CabinetTokyo

/// A song of many, in the order of a number.
private final class NumberedTrack: StoredObject {
    @Field var number = 0
    override class var indexes: [Index] { [.ordered(\NumberedTrack.number)] }
}

/// How many blocks of an index queries read.
@Suite("Indexes: blocks")
struct IndexBlockTests {
    private static let count = 20_000
    let directory: TemporaryDirectory

    /// A store of so many objects, in two saves of shuffled numbers: of each, every second one.
    init() throws {
        directory = try TemporaryDirectory()
        let (store, backend) = try open()
        var random = SeededRandom(seed: 3)
        for start in 0..<2 {
            for number in stride(from: start, to: Self.count, by: 2).shuffled(using: &random) {
                let track = NumberedTrack()
                track.number = number
                store.insert(track)
            }
            try store.save()
            backend.settle(try table(of: store), evenIfSmall: true)
        }
        try store.close()
    }

    private func open() throws -> (Store, TokyoBackend) {
        let backend = try TokyoBackend(path: directory.url.path, durability: .process)
        return (try Store(backend: backend, classes: [NumberedTrack.self]), backend)
    }

    private func table(of store: Store) throws -> TableNumber {
        let indexes = try store.indexKeeper?.indexes(of: store.registered(NumberedTrack.self))
        return try #require(indexes?["number"]?.table)
    }

    /// How many blocks a query reads of each run of a store that was just opened.
    private func blocksRead(by query: (Store) throws -> Void) throws -> [Int] {
        let (store, backend) = try open()
        defer { try? store.close() }
        try query(store)
        let layers = try #require(try backend.table(table(of: store))?.ordered().snapshot.layers)
        return try layers.map { layer in
            let run = try #require(try layer.openRun())
            #expect(run.blockCount > 6)
            return run.blocksRead
        }
    }

    @Test("a count reads at most three blocks of each run")
    func counting() throws {
        for (lower, upper) in [(0, 20_000), (5_000, 15_000), (7, 19_990), (11_000, 11_003)] {
            let blocks = try blocksRead { store in
                let count = try store.count(
                    of: NumberedTrack.self,
                    where: #Predicate { $0.number >= lower && $0.number < upper })
                #expect(count == upper - lower)
            }
            #expect(blocks.count == 2 && blocks.allSatisfy { $0 <= 3 }, "\(lower): \(blocks)")
        }
    }

    @Test("a page at an offset reads at most three blocks of each run", arguments: [false, true])
    func paging(isDescending: Bool) throws {
        for offset in [1, 999, 5_000, 10_000, 19_900] {
            let blocks = try blocksRead { store in
                let page = try store.fetch(
                    NumberedTrack.self,
                    sortedBy: [isDescending ? .descending(\.number) : .ascending(\.number)],
                    limit: 20, offset: offset)
                let first = isDescending ? Self.count - 1 - offset : offset
                #expect(page.map(\.number) == (0..<20).map { first + (isDescending ? -$0 : $0) })
            }
            #expect(blocks.count == 2 && blocks.allSatisfy { $0 <= 3 }, "\(offset): \(blocks)")
        }
    }

    @Test("all rows of a range are read of the blocks in which they lie")
    func rowsOfARange() throws {
        let blocks = try blocksRead { store in
            let query = ObjectQuery<NumberedTrack>(
                where: #Predicate { $0.number >= 8_000 && $0.number < 8_400 },
                sortedBy: [.ascending(\.number)])
            let rows = try store.query(query).rowIDs()
            #expect(rows.count == 400)
        }
        #expect(blocks.count == 2 && blocks.allSatisfy { $0 <= 3 }, "\(blocks)")
    }
}
