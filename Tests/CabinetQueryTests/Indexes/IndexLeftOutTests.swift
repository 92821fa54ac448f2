import CabinetBackend
import Testing

@testable import Cabinet

/// What the catalog calls an index that saves keep, they keep, or it says so no longer.
@Suite("Indexes: never left out unsaid")
struct IndexLeftOutTests {
    /// Such an entry counted as none: the index was made anew in its former table, among former keys.
    @Test(
        "the indexes of an entry that cannot be read are made anew",
        arguments: IndexScene.Engine.allCases)
    func unreadable(engine: IndexScene.Engine) throws {
        let scene = try IndexScene(engine)
        try scene.fill(60)
        let first = try scene.open()
        try first.indexes.build()
        let key = DerivedEntries.key(ofClass: try first.registered(IndexedSong.self).number)
        try first.close()
        let batch = scene.backend.makeBatch()
        try key.withUnsafeBytes { key in
            try [0xFF, 1, 2].withUnsafeBytes { try batch.put($0, for: key, in: .catalog) }
        }
        try scene.backend.commit(batch)
        // A save by a program without indexes: whoever can read the entry must not believe it.
        let older = try scene.open(IndexScene.older)
        for song in try older.objects(of: OlderSong.self).prefix(20) {
            song.title += " again"
            song.rating += 1
        }
        try older.save()
        let number = try older.registered(OlderSong.self).number
        #expect(try scene.backend.derivedEntries(ofClass: number) == DerivedEntries())
        try older.close()
        let store = try scene.open()
        try store.indexes.build()
        try store.expectCompleteIndexes()
    }

    @Test(
        "an index without its table counts as complete no longer once a save has come",
        arguments: IndexScene.Engine.allCases)
    func missingTable(engine: IndexScene.Engine) throws {
        let scene = try IndexScene(engine)
        try scene.fill(60)
        let first = try scene.open()
        try first.indexes.build()
        let number = try first.registered(IndexedSong.self).number
        try first.close()
        let entries = try scene.backend.derivedEntries(ofClass: number)
        let lost = try #require(entries.all.first)
        let table = try #require(try scene.backend.tables().first { $0.name == lost.table })
        let batch = scene.backend.makeBatch()
        try batch.drop(table.number)
        try scene.backend.commit(batch)
        let older = try scene.open(IndexScene.older)
        older.insert(OlderSong())
        try older.save()
        for entry in try scene.backend.derivedEntries(ofClass: number).all {
            #expect(entry.state == .behind)
        }
        try older.close()
        let store = try scene.open()
        store.insert(IndexedSong("new"))
        try store.save()
        let saved = try scene.backend.derivedEntries(ofClass: number)[lost.kind, lost.name]
        #expect(saved.map { $0.state != .complete || $0.table != lost.table } ?? true)
        try store.indexes.build()
        try store.expectCompleteIndexes()
    }

    /// A builder has read the entries of a class before it waits for its reader, and writes all of them in
    /// the end.
    @Test("an index that is removed while another one is built stays removed")
    func removedMeanwhile() throws {
        let scene = try IndexScene(.memory)
        try scene.fill(200)
        let (one, other) = (try scene.open(IndexScene.older), try scene.open(IndexScene.older))
        for round in 0..<10 {
            try one.indexes.register(.ordered(\OlderSong.year, named: "a\(round)"))
            try other.indexes.register(.ordered(\OlderSong.title, named: "b\(round)"))
            try one.indexes.unregister(named: "a\(round)", of: OlderSong.self)
            try one.indexes.build()
            let number = try one.registered(OlderSong.self).number
            let names = try scene.backend.derivedEntries(ofClass: number).all.map(\.name)
            #expect(!names.contains("a\(round)"))
            try other.indexes.unregister(named: "b\(round)", of: OlderSong.self)
        }
    }

    /// The builder has a list of what it is to build from before it begins.
    @Test("an index that is removed while it waits for the builder stays removed")
    func removedWhileWaiting() throws {
        let scene = try IndexScene(.memory, chunkLimit: 1)
        try scene.fill(400)
        let store = try scene.open(IndexScene.older)
        let number = try store.registered(OlderSong.self).number
        for round in 0..<5 {
            try store.indexes.register(.ordered(\OlderSong.year, named: "first\(round)"))
            try store.indexes.register(.ordered(\OlderSong.title, named: "second\(round)"))
            try store.indexes.unregister(named: "second\(round)", of: OlderSong.self)
            let before = try scene.backend.lastCommit().rawValue
            try store.indexes.build()
            // A commit a key, and a few that say how far the index is.
            #expect(try scene.backend.lastCommit().rawValue - before < 500)
            #expect(
                try scene.backend.derivedEntries(ofClass: number).all.map(\.name)
                    == (0...round).map { "first\($0)" })
            let tables = try scene.backend.tables().map(\.name)
            #expect(!tables.contains { $0.contains("second") })
        }
    }
}
