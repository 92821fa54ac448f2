import CabinetBackend
import Testing
import TrustSupport

@testable import CabinetTokyo

struct SnapshotReaderTests {
    let directory = ScratchDirectory(inMemory: false)
    let files = SystemFiles()
    var path: String { directory.file("Snapshot") }

    @Test(arguments: [1, 20, 64, 300, 256 << 10])
    func whatWasPutComesBackInOrder(blockLimit: Int) throws {
        let model = try smallStore()
        try writeSnapshot(model, path, blockLimit: blockLimit)
        let reader = try SnapshotReader(files: files, path: path, expectedStoreID: 77)
        #expect(try reader.contents() == model.sorted())
        for wanted: Set<TableNumber> in [[], [0], [2], [3], [7], [0, 3], [2, 3], [5]] {
            #expect(try reader.contents(in: wanted) == model.sorted(in: wanted))
        }
        #expect(reader.tables.map(\.state) == model.states)
        #expect(reader.tables.map(\.count) == [1, 0, 11, 7, 0])
        #expect(reader.commitNumber == model.commitNumber)
        #expect(try reader.verify())
    }

    @Test func aStoreWithNothingInItIsASnapshotToo() throws {
        try writeSnapshot(StoreModel(), path)
        let reader = try SnapshotReader(files: files, path: path, expectedStoreID: 77)
        #expect(try reader.contents().isEmpty)
        #expect(reader.tables.count == 2)
        #expect(try reader.verify())
    }

    @Test func tablesNotAskedForAreNotRead() throws {
        try writeSnapshot(try smallStore(), path, blockLimit: 20)
        let counting = FaultyFiles()
        let reader = try SnapshotReader(files: counting, path: path, expectedStoreID: 77)
        // Open, size, and the three reads of header, end mark and footer.
        #expect(counting.count == 5)
        counting.replacePlan(nil)
        #expect(try reader.contents(in: [0]).count == 1)
        #expect(counting.count == 2)
    }

    @Test func largeValuesAndThoseThatDoNotDeflateComeBack() throws {
        var model = StoreModel()
        let batch = WriteBatch()
        try model.define(TableDefinition(number: 2, kind: .record, name: "Photo"), in: batch)
        var random = SeededRandom(seed: 4)
        let noise = (0..<700_000).map { _ in UInt8.random(in: 0...255, using: &random) }
        try model.put(noise, row: 2, in: 2, batch)
        try model.put([UInt8](repeating: 7, count: 3_000_000), row: 3, in: 2, batch)
        try model.put(Array(noise.prefix(1000)), row: 4, in: 2, batch)
        try writeSnapshot(model, path)
        let reader = try SnapshotReader(files: files, path: path, expectedStoreID: 77)
        #expect(try reader.contents() == model.sorted())
        let size = try #require(try files.status(of: path)).size
        #expect(size > 701_000 && size < 730_000)
    }

    @Test func aBodyThatThrowsEndsTheWalk() throws {
        try writeSnapshot(try smallStore(), path)
        let reader = try SnapshotReader(files: files, path: path, expectedStoreID: 77)
        var count = 0
        #expect(throws: BackendError.closed) {
            try reader.forEachOperation(in: nil) { (_) throws(BackendError) in
                count += 1
                if count == 3 { throw .closed }
            }
        }
        #expect(count == 3)
    }

    @Test func aLongNameIsRefused() throws {
        var writer = try SnapshotWriter(
            files: files, path: path, storeID: 1, commitNumber: 1, highestTable: 2)
        let name = String(repeating: "n", count: 256)
        #expect(throws: BackendError.badTableName(name)) {
            try writer.define(
                TableState(definition: TableDefinition(number: 2, kind: .record, name: name)))
        }
    }
}
