import CabinetBackend
import CabinetMemory
import Foundation
import Testing

@testable import Cabinet
@testable import CabinetTestModel

/// A store over an engine to which other processes commit, too, and to which it may commit itself.
struct OtherWritersTests {
    @Test func aStoreThatIsAloneInItsProcessIsFrozenAndSavesAndStaysSo() throws {
        let backend = FaultyBackend(isolatesCommits: true, hasOtherWriters: true)
        let store = try Store(backend: backend, classes: [Bead.self])
        #expect(store.isIsolated && store.slot.isShared && store.maySave)
        let bead = Bead()
        bead.number = 1
        store.insert(bead)
        try store.save()
        #expect(store.slot.isShared)

        // As another process does it.
        let other = try Store(backend: backend.inner, classes: [Bead.self])
        let theirs = try #require(try other.objects(of: Bead.self).first)
        theirs.number = 2
        try other.save()
        try store.reload(bead)
        #expect(bead.number == 1)
        try store.refresh()
        #expect(bead.number == 2 && store.slot.isShared)
        bead.number = 3
        try store.save()
        #expect(try other.objects(of: Bead.self).count == 1)
        try other.reload(theirs)
        #expect(store.slot.isShared)
        try other.close()
    }

    /// What a process knows of the other's indexes, it knows from the catalog alone.
    @Test(arguments: [true, false])
    func anIndexThatAnotherProcessMakesIsNotPutOutOfStep(_ isChanged: Bool) async throws {
        let inner = MemoryBackend()
        func process() -> FaultyBackend {
            FaultyBackend(inner, isolatesCommits: true, hasOtherWriters: true)
        }
        let older = try Store(backend: process(), classes: IndexScene.older)
        let song = OlderSong()
        song.artist = "Nina Simone"
        older.insert(song)
        try older.save()

        let newer = try Store(backend: process(), classes: IndexScene.newer)
        try newer.indexes.build()
        #expect(try newer.incompleteParts() == [])
        // The older program has read nothing since.
        if isChanged {
            song.artist = "Pink Floyd"
        } else {
            let other = OlderSong()
            other.artist = "Pink Floyd"
            older.insert(other)
        }
        try older.save()
        try newer.refresh()
        let query = ObjectQuery<IndexedSong>(where: #Predicate { $0.artist == "Pink Floyd" })
        #expect(try newer.fetch(query).count == 1)
        try newer.indexes.build()
        #expect(try newer.incompleteParts() == [])
        #expect(try await newer.check().isSound)
        #expect(try newer.fetch(query).count == 1)
        try newer.close()
        try older.close()
    }

    private enum Older {
        final class Holder: StoredObject {
            @Field var name = ""
            @One var item: Item?
        }
    }
    private final class Item: StoredObject {}
    private enum Newer {
        final class Holder: StoredObject {
            @Field var name = ""
            @One(onDelete: .cascadeWhenLastReference) var item: Item?
        }
    }

    /// Once, a process that was open before wrote none, and what it referred to went with the other's object.
    @Test(arguments: [true, false], [true, false])
    func referrersThatAnotherProcessBeginsToTrackAreKept(
        isRead: Bool, inBackground: Bool
    ) async throws {
        let inner = MemoryBackend()
        func open(_ holder: StoredObject.Type) throws -> Store {
            try Store(
                backend: FaultyBackend(inner, isolatesCommits: true, hasOtherWriters: true),
                classes: [holder, Item.self])
        }
        let older = try open(Older.Holder.self)
        let (first, item) = (Older.Holder(), Item())
        first.item = item
        older.insert(first)
        try older.save()
        let newer = try open(Newer.Holder.self)
        let theirs = try #require(try newer.objects(of: Newer.Holder.self).first)
        theirs.name = "first"
        try newer.save()
        if isRead { try older.refresh() }
        let second = Older.Holder()
        second.item = item
        older.insert(second)
        if inBackground { try await older.saveInBackground() } else { try older.save() }
        try newer.refresh()
        try newer.delete(theirs)
        try newer.save()
        #expect(try newer.count(of: Item.self) == 1)
        #expect(try newer.objects(of: Newer.Holder.self).map { $0.item != nil } == [true])
        #expect(try await newer.check().isSound)
        try newer.close()
        try older.close()
    }
}
