import CabinetBackend
import CabinetTestSupport
import Testing

@testable import Cabinet

/// What a check says of indexes, and what becomes of them when a record is damaged.
@Suite("Indexes: checking")
struct IndexCheckTests {
    private func filled(_ scene: IndexScene) throws -> Store {
        try scene.fill(500)
        let store = try scene.open()
        try store.indexes.build()
        return store
    }

    @Test("a check finds nothing wrong with whole indexes", arguments: IndexScene.Engine.allCases)
    func whole(engine: IndexScene.Engine) async throws {
        let scene = try IndexScene(engine)
        let store = try filled(scene)
        let report = try await store.check()
        #expect(report.isSound, "\(report.findings)")
        try store.close()
    }

    @Test(
        "a check finds keys too many and keys that are missing",
        arguments: IndexScene.Engine.allCases)
    func differing(engine: IndexScene.Engine) async throws {
        let scene = try IndexScene(engine)
        let store = try filled(scene)
        let indexes = try #require(
            try store.indexKeeper?.indexes(of: store.registered(IndexedSong.self)))
        let table = try #require(indexes["artist.year"]?.table)
        let run = EntryRun()
        _ = try store.backend.entries(in: table, range: .everything, descending: false).next(run)
        let (key, value) = try #require(run.next())
        let row = try #require(IndexValue.row(of: key, value))
        let batch = store.backend.makeBatch()
        try batch.deleteKey(key, in: table)
        let other = OrderedKey("nobody", 1).bytes(withRow: 77)
        try other.withUnsafeBytes {
            try batch.put(UnsafeRawBufferPointer(start: nil, count: 0), for: $0, in: table)
        }
        try store.backend.commit(batch)
        let report = try await store.check()
        #expect(report.counts[.missingIndexEntry] == 1 && report.counts[.strayIndexEntry] == 1)
        #expect(
            report.findings.contains {
                $0.kind == .missingIndexEntry && $0.row == row && $0.field == "artist.year"
            })
        #expect(report.findings.contains { $0.kind == .strayIndexEntry && $0.row == 77 })
    }

    @Test(
        "a damaged record can be deleted, and its class's indexes are made anew",
        arguments: IndexScene.Engine.allCases)
    func damaged(engine: IndexScene.Engine) throws {
        let scene = try IndexScene(engine)
        let store = try filled(scene)
        let song = try #require(try store.objects(of: IndexedSong.self).first)
        let storedClass = try #require(song.storedClass)
        let batch = store.backend.makeBatch()
        let buffer = batch.beginRecord(song.rowID, in: storedClass.table)
        buffer.writeUInt8(storedClass.layouts?.currentByte ?? 0)
        buffer.writeUInt32(1_000_000)
        try batch.endRecord()
        try store.backend.commit(batch)
        try store.delete(song)
        try store.save(onConflict: .mine)
        let indexes = try #require(try store.indexKeeper?.indexes(of: storedClass))
        #expect(indexes["artist.year"]?.entry?.state == .behind)
        try store.indexes.build()
        try store.expectCompleteIndexes()
    }

    @Test("a report names indexes that no query has used")
    func unused() throws {
        let scene = try IndexScene(.memory)
        let store = try filled(scene)
        _ = try store.upsert(IndexedSong.self, by: \.isrc, "I0")
        let unused = store.debugReport.unusedIndexes
        #expect(unused.contains("IndexedSong.tags") && !unused.contains("IndexedSong.isrc"))
        #expect("\(store.debugReport)".contains("IndexedSong.tags"))
        #expect(store.debugReport.incompleteIndexes.isEmpty)
        let song = try #require(try store.objects(of: IndexedSong.self).first)
        song.isrc = "I0"
        let other = IndexedSong()
        other.isrc = "same"
        store.insert(other)
        try store.save()
        try scene.fill(1, duplicates: 1)
        try store.refresh()
        #expect(throws: StoreError.self) { try store.indexes.build() }
        #expect(store.debugReport.incompleteIndexes.contains("IndexedSong.isrc"))
        try scene.reopen()
    }
}
