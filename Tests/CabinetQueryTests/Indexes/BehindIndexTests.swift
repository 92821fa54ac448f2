import CabinetBackend
import CabinetTokyo
import Foundation
import Testing

@testable import Cabinet
@testable import CabinetTestModel

/// What the upkeep thread needs of a later run, or of another process, to go on with indexes.
@Suite("Indexes: left behind")
struct BehindIndexTests {
    /// Indexes of 200 songs, of which a program without them has then changed 20.
    private func leftBehind() throws -> (scene: IndexScene, entries: [DerivedEntry]) {
        let scene = try IndexScene(.files)
        try scene.fill(200)
        let newer = try scene.open()
        try newer.indexes.build()
        try newer.close()
        let entries = try entries(scene)
        let older = try scene.open(IndexScene.older)
        for (number, song) in try older.objects(of: OlderSong.self).prefix(20).enumerated() {
            (song.title, song.isrc) = ("older \(number)", "O\(number)")
        }
        try older.save()
        try older.close()
        return (scene, entries)
    }

    private func entries(_ scene: IndexScene) throws -> [DerivedEntry] {
        let number = try #require(
            try scene.backend.tables().first { $0.name == "IndexedSong" }?.classNumber)
        return try scene.backend.derivedEntries(ofClass: number).of(IndexKeeper.kind)
    }

    @Test("what a program without them saves is kept for them, beyond a compaction")
    func kept() async throws {
        let (scene, entries) = try leftBehind()
        #expect(
            try scene.backend.keptChanges().map(\.name) == entries.map(\.table).sorted())
        try await (scene.backend as? TokyoBackend)?.compact()
        try scene.reopen()
        // It changes the others anew, and no position.
        let kept = try scene.backend.keptChanges()
        let older = try scene.open(IndexScene.older)
        try older.objects(of: OlderSong.self).last?.title = "the last one"
        try older.save()
        try older.close()
        #expect(try scene.backend.keptChanges() == kept)
        try await (scene.backend as? TokyoBackend)?.compact()
        try scene.reopen()
        let store = try scene.open()
        try store.indexes.build()
        try store.expectCompleteIndexes()
        // They were brought up to date, and not made anew.
        #expect(try self.entries(scene) == entries)
        #expect(try scene.backend.keptChanges().isEmpty)
        try store.close()
    }

    @Test("nothing is kept for an index that is removed")
    func removed() throws {
        let (scene, entries) = try leftBehind()
        let store = try scene.open(IndexScene.older)
        for entry in entries { try store.indexes.unregister(named: entry.name, of: OlderSong.self) }
        #expect(try scene.backend.keptChanges().isEmpty)
        try store.close()
    }

    @Test("while another process does the upkeep of a store, its thread waits")
    func claimed() throws {
        let scene = try IndexScene(.memory)
        try scene.fill(50)
        let claim = try #require(try scene.backend.claimWork(UpkeepThread.claimName))
        let last = try scene.backend.lastCommit()
        let store = try scene.open()
        // Time enough to build them.
        Thread.sleep(forTimeInterval: 0.3)
        #expect(try scene.backend.lastCommit() == last)
        #expect(store.indexes.progress != nil)
        claim.end()
        try store.indexes.build()
        try store.expectCompleteIndexes()
        #expect(try scene.backend.claimWork(UpkeepThread.claimName) != nil)
        try store.close()
    }
}
