import CabinetBackend
import Foundation
import Testing
import TrustSupport

@testable import Cabinet

#if SQLite
    import CabinetSQLite
#endif

/// A record whose key a builder enters while a save changes or deletes it leaves no key behind.
struct KeysLeftWhileBuildingTests {
    final class OldTag: StoredObject {
        @Field var name = ""
        override class var storageName: String { "Tag" }
    }

    final class Tag: StoredObject {
        @Field var name = ""
        override class var storageName: String { "Tag" }
        override class var indexes: [Index] { [.unique(\Tag.name)] }
    }

    private func open(_ directory: ScratchDirectory) throws -> any Backend {
        #if SQLite
            // Where a commit takes long enough for another one to come between.
            try SQLiteBackend(path: directory.file("Store.sqlite"), durability: .process)
        #else
            Store.makeMemoryBackend()
        #endif
    }

    @Test(arguments: RunSetting.seeds(8))
    func aKeyThatABuilderEntersMeanwhileIsNoKeyOfItsRecordAfterwards(_ seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let directory = ScratchDirectory()
        let backend = try open(directory)
        let container = StoreContainer(backend: backend, classes: [Tag.self])
        defer { try? container.close() }
        let filler = String(repeating: "x", count: 900)
        let older = try StoreContainer(backend: backend, classes: [OldTag.self]).makeStore()
        for number in 0..<20_000 {
            let tag = OldTag()
            tag.name = "tag \(number)" + filler
            older.insert(tag)
        }
        try older.save()
        try older.close()
        // Opening it has the index built, in commits of some keys each.
        let store = try container.makeStore()
        container.hub.upkeep.limitChunks(to: 400)
        var tags = try store.objects(of: Tag.self).map { $0 }
        var number = 0
        while store.indexes.progress != nil, tags.count > 1_000 {
            for _ in 0..<20 { try store.delete(tags.remove(at: random.below(tags.count))) }
            for _ in 0..<20 {
                number += 1
                tags[random.below(tags.count)].name = "new \(number)" + filler
            }
            try store.save()
        }
        try store.indexes.build()
        #expect(try store.indexFindings().isEmpty)
        let table = try #require(
            try backend.tables().first { $0.kind == .ordered && $0.name.contains("Tag") })
        #expect(try backend.count(of: table.number) == tags.count)
        try store.close()
    }
}
