import CabinetBackend
import Foundation
import Testing
import TrustSupport

@testable import CabinetTokyo

struct SnapshotDamageTests {
    let directory = ScratchDirectory(inMemory: false)
    let files = SystemFiles()
    var path: String { directory.file("Snapshot") }

    private func isDamage(_ error: BackendError) -> Bool {
        if case .corrupt(path, _) = error { true } else { false }
    }

    /// What reading everything gives; `nil` for damage.
    private func outcome(in tables: Set<TableNumber>? = nil) throws -> [Stored]? {
        do throws(BackendError) {
            let reader = try SnapshotReader(files: files, path: path, expectedStoreID: 77)
            let contents = try reader.contents(in: tables)
            if tables == nil { try reader.verify() }
            return contents
        } catch {
            guard isDamage(error) else { throw error }
            return nil
        }
    }

    private func smallSnapshot(blockLimit: Int) throws -> (model: StoreModel, bytes: [UInt8]) {
        let model = try smallStore()
        try writeSnapshot(model, path, blockLimit: blockLimit)
        return (model, Array(try Data(contentsOf: URL(filePath: path))))
    }

    @Test(arguments: [64, 4096])
    func noByteMayChange(blockLimit: Int) throws {
        let (model, bytes) = try smallSnapshot(blockLimit: blockLimit)
        #expect(try outcome() == model.sorted())
        let file = try files.open(path, for: .writing)
        for (index, byte) in bytes.enumerated() {
            for change in [1 << (index % 8), 0xFF] as [UInt8] {
                try files.write([byte ^ change], to: file, at: UInt64(index))
                #expect(try outcome() == nil, "byte \(index) changed by \(change)")
            }
            try files.write([byte], to: file, at: UInt64(index))
        }
        #expect(try outcome() == model.sorted())
    }

    @Test func noSnapshotIsWholeAtAnotherLength() throws {
        let (_, bytes) = try smallSnapshot(blockLimit: 64)
        let file = try files.open(path, for: .writing)
        for more in 1..<40 {
            try files.write(bytes.suffix(more), to: file, at: UInt64(bytes.count))
            #expect(try outcome() == nil, "\(more) bytes more")
        }
        for length in bytes.indices.reversed() {
            try files.truncate(file, to: UInt64(length))
            #expect(throws: BackendError.self, "cut to \(length)") {
                try SnapshotReader(files: files, path: path, expectedStoreID: 77)
            }
            #expect(try outcome() == nil)
        }
    }

    @Test func damageToOneTableLeavesTheOthersReadable() throws {
        let (model, bytes) = try smallSnapshot(blockLimit: 64)
        let reader = try SnapshotReader(files: files, path: path, expectedStoreID: 77)
        let index = try #require(reader.tables.first { $0.number == 3 })
        var damaged = bytes
        damaged[Int(index.firstBlock) + BlockHeader.size] ^= 1
        try Data(damaged).write(to: URL(filePath: path))
        #expect(try outcome() == nil)
        #expect(try outcome(in: [3]) == nil)
        #expect(try outcome(in: [0, 2, 7]) == model.sorted(in: [0, 2, 7]))
    }

    @Test func blocksDoNotTradePlaces() throws {
        // Equal in everything but their position, so only that can distinguish them.
        var model = StoreModel()
        let batch = WriteBatch()
        try model.define(TableDefinition(number: 2, kind: .record, name: "Song"), in: batch)
        for row in [2, 3] as [RowID] { try model.put([1, 2, 3], row: row, in: 2, batch) }
        try writeSnapshot(model, path, blockLimit: 8)
        var bytes = Array(try Data(contentsOf: URL(filePath: path)))
        let size = BlockHeader.size + 15
        let start = SnapshotHeader.size
        let first = Array(bytes[start..<start + size])
        bytes.replaceSubrange(start..<start + size, with: bytes[start + size..<start + 2 * size])
        bytes.replaceSubrange(start + size..<start + 2 * size, with: first)
        try Data(bytes).write(to: URL(filePath: path))
        #expect(try outcome() == nil)
    }

    @Test func aSnapshotOfAnotherStoreCountsAsDamaged() throws {
        try writeSnapshot(try smallStore(), path, storeID: 78)
        #expect(try outcome() == nil)
        let reader = try SnapshotReader(files: files, path: path, expectedStoreID: nil)
        #expect(reader.storeID == 78)
        #expect(try reader.verify())
    }

    @Test func aNewerFormatIsNamed() throws {
        var (bytes, _) = SnapshotHeader(store: 77, commitNumber: 1, highestTable: 1).encoded()
        let known = SnapshotHeader.format
        bytes[8] = UInt8(known + 1)
        let sum = bytes[..<36].withUnsafeBytes { $0.checksum() }
        bytes.replaceSubrange(36..., with: (0..<4).map { UInt8(sum >> (8 * $0) & 0xFF) })
        #expect(throws: BackendError.newerFormat(path: path, found: known + 1, known: known)) {
            try SnapshotHeader.decode(bytes, path: path, expectedStoreID: 77)
        }
    }

    @Test(arguments: [
        BlockHeader(
            group: 4, isDeflated: false, count: 1, storedSum: 0, rawLength: 1 << 40,
            storedLength: 1 << 40),
        BlockHeader(
            group: 4, isDeflated: false, count: 1, storedSum: 0, rawLength: .max, storedLength: .max
        ),
        BlockHeader(
            group: 4, isDeflated: false, count: 1, storedSum: 0, rawLength: 200, storedLength: 100),
        BlockHeader(
            group: 4, isDeflated: false, count: 0, storedSum: 0, rawLength: 0, storedLength: 0),
        BlockHeader(
            group: 4, isDeflated: false, count: .max, storedSum: 0, rawLength: 90, storedLength: 90),
        BlockHeader(
            group: 4, isDeflated: true, count: 1, storedSum: 0, rawLength: 1 << 40, storedLength: 90
        ),
        BlockHeader(
            group: 4, isDeflated: true, count: 1, storedSum: 0, rawLength: 60 << 20,
            storedLength: 90),
        BlockHeader(
            group: 4, isDeflated: true, count: 1, storedSum: 0, rawLength: 90, storedLength: 90),
    ])
    func lengthsThatCannotBeAreNotBelieved(_ header: BlockHeader) {
        #expect(!header.isPossible(room: 1000))
    }
}
