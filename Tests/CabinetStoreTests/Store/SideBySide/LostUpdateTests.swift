import CabinetMemory
import Testing

@testable import Cabinet

/// Ways in which an update could get lost between two stores.
struct LostUpdateTests {
    private let container = StoreContainer(
        inMemory: volumeClasses + [Poster.self, Wall.self])

    private func newStore(_ objects: StoredObject...) throws -> Store {
        let store = try container.makeStore()
        for object in objects { store.insert(object) }
        try store.save()
        return store
    }

    @Test func aMergeKnowsItsBaseThoughTheStoreHasReadNothingSince() throws {
        let mine = Bookcase()
        let one = try newStore(mine)
        let two = try container.makeStore()
        let theirs = try #require(try two.objects(of: Bookcase.self).first)
        theirs.year = 1957
        theirs.volumes.append(Volume())
        try two.save()
        mine.title = "mine"
        try one.save(onConflict: .merge)
        #expect(mine.year == 1957 && mine.title == "mine" && mine.volumes.count == 1)
    }

    @Test func whatAnotherSavesDuringACommitIsTakenUpAndNotOverwritten() throws {
        final class Watcher: StoreDelegate {
            var act: (() throws -> Void)?
            func storeWillChange(_ store: Store) {}
            func storeDidChange(_ store: Store) {
                let act = act
                self.act = nil
                try? act?()
            }
        }
        let (mine, other) = (Bookcase(), Bookcase())
        let one = try newStore(mine, other)
        let two = try container.makeStore()
        let watcher = Watcher()
        one.delegate = watcher
        try #require(try two.object(Bookcase.self, rowID: mine.rowID)).year = 7
        try two.save()
        mine.title = "mine"
        // Called once the other's commit is taken up, before this store's own.
        watcher.act = {
            other.title = "by the delegate"
            try one.save()
        }
        try one.save(onConflict: .merge)
        try one.save()
        try two.refresh()
        let found = try two.objects(of: Bookcase.self)
        #expect(found.map(\.title) == ["mine", "by the delegate"])
        #expect(found.first?.year == 7)
    }

    @Test func aReferenceToWhatAnotherHasDeletedIsAConflict() throws {
        let (target, owner) = (Poster(), Wall())
        let one = try newStore(target, owner)
        let two = try container.makeStore()
        try two.delete(try #require(try two.objects(of: Poster.self).first))
        try two.save()
        owner.poster = target
        do {
            try one.save()
            Issue.record("a reference is lost")
        } catch StoreError.conflict(let conflicts) {
            #expect(conflicts.map(\.kind) == [.deletedElsewhere])
            #expect(conflicts.map(\.className) == ["Poster"])
        }
        #expect(owner.poster === target && !target.isDeleted && one.hasChanges)
        try one.save(onConflict: .theirs)
        #expect(target.isDeleted)
    }

    /// A set that was read has its elements in another order than the one that was written, so its
    /// bytes seemed changed where it was not, and others' changes of it were lost.
    @Test func theOrderOfASetOrOfKeysIsNoChange() throws {
        let backend = MemoryBackend()
        let classes: [StoredObject.Type] = [Tagged.self]
        do {
            let first = try Store(backend: backend, classes: classes)
            let other = Tagged()
            // Elements that came and went leave the others in another order.
            for number in 0..<200 { other.tags.insert("tag \(number)") }
            for number in 20..<200 { other.tags.remove("tag \(number)") }
            for tag in other.tags { other.counts[tag] = [tag: Array(other.tags.prefix(5))] }
            for number in 0..<500 { other.counts["\(number)"] = [:] }
            for number in 0..<500 { other.counts["\(number)"] = nil }
            first.insert(other)
            try first.save()
        }
        let one = try Store(backend: backend, classes: classes)
        let two = try Store(backend: backend, classes: classes)
        let mine = try #require(try one.objects(of: Tagged.self).first)
        let theirs = try #require(try two.objects(of: Tagged.self).first)
        theirs.tags.insert("theirs")
        theirs.counts["theirs"] = ["a": ["b"]]
        try two.save()
        mine.name = "mine"
        try one.save(onConflict: .merge)
        #expect(mine.name == "mine")
        #expect(mine.tags.contains("theirs") && mine.counts["theirs"] == ["a": ["b"]])
    }

    @Test func rewritingOldRecordsLeavesWhatOthersHaveSaved() throws {
        let backend = MemoryBackend()
        do {
            let old = try Store(backend: backend, classes: [Earlier.Wall.self])
            for _ in 0..<3 { old.insert(Earlier.Wall()) }
            try old.save()
        }
        let one = try Store(backend: backend, classes: [Wall.self, Poster.self])
        let two = try Store(backend: backend, classes: [Wall.self, Poster.self])
        let walls = try two.objects(of: Wall.self)
        walls[0].height = 9
        try two.delete(walls[1])
        try two.save()
        try one.upgradeAll()
        try two.refresh()
        #expect(try two.objects(of: Wall.self).map(\.height) == [9, 2])
        try one.refresh()
        #expect(try one.objects(of: Wall.self).map(\.height) == [9, 2])
    }

    @Test func aStoreThatOnlyReadsRewritesNothing() async throws {
        _ = try newStore(Bookcase())
        try await container.read { store -> Void in
            #expect(throws: BackendError.self) { try store.upgradeAll(of: Bookcase.self) }
        }
    }
}

/// A relationship without another side.
private final class Poster: StoredObject {
    @Field var name = ""
    override class var storageName: String { "Poster" }
}

private final class Wall: StoredObject {
    @Field var height = 2
    @One var poster: Poster?
    override class var storageName: String { "Wall" }
}

private final class Tagged: StoredObject {
    @Field var name = ""
    @Field var tags: Set<String> = []
    @Field var counts: [String: [String: [String]]] = [:]
}

private enum Earlier {
    final class Wall: StoredObject {
        @Field var width = 1
        override class var storageName: String { "Wall" }
    }
}
