import Cabinet
import CabinetMemory
import Testing

@testable import CabinetTestModel

struct UniquingTests {
    let backend = MemoryBackend()

    func open() throws -> Store {
        try Store(backend: backend, classes: [Song.self, Playlist.self, Node.self])
    }

    @Test func aRowHasOneObjectHoweverItIsReached() throws {
        let store = try open()
        store.insert(Song("One"))
        store.insert(Playlist("List", try store.objects(of: Song.self)))
        try store.save()
        let again = try open()
        let song = try #require(try again.object(Song.self, rowID: 2))
        #expect(try again.objects(of: Playlist.self).first?.songs.first === song)
        #expect(try again.objects(of: Song.self).first === song)
        try again.forEach(Song.self) { #expect($0 === song) }
    }

    @Test func anObjectThatGoesLeavesNoEntry() throws {
        let store = try open()
        store.insert(Song("One"))
        try store.save()
        #expect(try store.metadata(of: Song.self).liveObjects == 0)
        var song = try store.object(Song.self, rowID: 2)
        #expect(try store.metadata(of: Song.self).liveObjects == 1)
        weak let reportsChange = song
        song = nil
        #expect(reportsChange == nil)
        #expect(try store.metadata(of: Song.self).liveObjects == 0)
        #expect(try store.object(Song.self, rowID: 2)?.title == "One")
    }

    @Test func aHundredThousandObjectsAreOneEachAndGoAgain() throws {
        let store = try open()
        for index in 0..<100_000 { store.insert(Song("", seconds: UInt32(index))) }
        try store.save()
        var songs = try store.objects(of: Song.self)
        #expect(songs.count == 100_000)
        #expect(try store.metadata(of: Song.self).liveObjects == 100_000)
        #expect(songs.reduce(0) { $0 + UInt64($1.seconds) } == 4_999_950_000)
        let again = try store.objects(of: Song.self)
        #expect(zip(songs, again).allSatisfy { $0 === $1 })
        songs = []
        withExtendedLifetime(again) {}
    }

    @Test func enumeratingKeepsNoObjectThatNobodyHolds() throws {
        let store = try open()
        for _ in 0..<5_000 { store.insert(Song("x")) }
        try store.save()
        var most = 0
        var count = 0
        try store.forEach(Song.self) { _ in
            count += 1
            most = max(most, try store.metadata(of: Song.self).liveObjects)
        }
        #expect(count == 5_000)
        #expect(most == 1)
    }

    @Test func aStoreThatGoesLeavesPlainObjectsWithTheirValues() throws {
        var store: Store? = try open()
        let saved = Song("Saved")
        let pending = Song("Pending")
        store?.insert(saved)
        try store?.save()
        store?.insert(pending)
        saved.seconds = 7
        weak let reportsChange = store
        store = nil
        #expect(reportsChange == nil)
        for song in [saved, pending] {
            #expect(song.store == nil)
            #expect(song.rowID == 0)
            #expect(!song.isChanged && !song.isInserted && !song.isDeleted && !song.isFault)
        }
        #expect(saved.title == "Saved")
        #expect(saved.seconds == 7)
        saved.title = "Edited as a plain object"
        #expect(saved.title == "Edited as a plain object")
    }

    /// A named buffer that waited for a save held its store, which held it.
    @Test func aPendingNameDoesNotKeepItsStore() throws {
        var store: Store? = try open()
        let song = Song("Favorite")
        store?.insert(song)
        let buffer = DataBuffer()
        buffer.writeInt(1)
        store?.namedBuffers["Count"] = buffer
        weak let reportsChange = store
        store = nil
        #expect(reportsChange == nil)
    }

    @Test func aStoreWithAHistoryGoesBeforeItsObjects() throws {
        var store: Store? = try open()
        store?.undoHistory.isEnabled = true
        let song = Song("One")
        store?.insert(song)
        let list = Playlist("List", [song])
        store?.insert(list)
        try store?.delete(song)
        weak let reportsChange = store
        store = nil
        #expect(reportsChange == nil)
        #expect(list.title == "List")
        #expect(song.store == nil)
    }

    @Test func aClosedStoreLetsGoOfItsObjects() throws {
        let store = try open()
        let song = Song("One")
        store.insert(song)
        try store.close()
        #expect(song.store == nil)
        #expect(!store.hasChanges)
        #expect(throws: StoreError.closed) { try store.save() }
        #expect(throws: StoreError.closed) { try store.objects(of: Song.self) }
        #expect(throws: StoreError.closed) { try store.object(Song.self, rowID: 2) }
        #expect(throws: StoreError.closed) { try store.count(of: Song.self) }
        #expect(throws: StoreError.closed) { try store.forEach(Song.self) { _ in } }
        #expect(throws: StoreError.closed) { try store.delete(song) }
        #expect(throws: StoreError.closed) { try store.sync() }
        #expect(throws: StoreError.closed) { try store.undoHistory.undo() }
        #expect(throws: StoreError.closed) { try store.undoHistory.group {} }
        #expect(throws: StoreError.closed) { try store.namedBuffers.buffer(for: "x") }
        #expect(throws: StoreError.closed) { try store.namedBuffers.all() }
        #expect(throws: StoreError.closed) { try store.upgradeAll() }
        #expect(throws: StoreError.closed) { try store.metadata(of: Song.self) }
        store.namedBuffers["x"] = DataBuffer()
        #expect(!store.hasChanges)
        store.insert(song)
        #expect(song.store == nil)
        store.rollback()
        try store.close()
    }

    @Test func cyclesAreBrokenByDissolving() throws {
        weak var reportsChange: Node?
        let store = try open()
        do {
            let one = Node("One")
            let other = Node("Other", [one])
            one.children = [other, one]
            store.insert(one)
            store.insert(other)
            try store.save()
            reportsChange = one
        }
        #expect(reportsChange != nil)
        store.dissolveAllRelationships()
        #expect(reportsChange == nil)
        #expect(!store.hasChanges)
        #expect(try store.object(Node.self, rowID: 2)?.children.map(\.name) == ["Other", "One"])
        store.dissolveAllRelationships()
    }

    /// The next save would have written them without their relationships.
    @Test func dissolvingLeavesPendingObjectsWhole() throws {
        let store = try open()
        let song = Song("One")
        store.insert(song)
        let new = Playlist("New", [song])
        let old = Playlist("Old")
        store.insert(old)
        try store.save()
        store.insert(new)
        old.songs = [song, song]
        store.dissolveAllRelationships()
        try store.save()
        let again = try open()
        #expect(try again.objects(of: Playlist.self).map(\.songs.count) == [2, 1])
    }

    /// An inserted object that a failed group took back stayed in the list of pending ones.
    @Test func anObjectInsertedAnewAfterAFailedGroupIsThereOnce() throws {
        struct GivenUp: Error {}
        let store = try open()
        let song = Song("One")
        #expect(throws: GivenUp.self) {
            try store.undoHistory.group {
                store.insert(song)
                throw GivenUp()
            }
        }
        #expect(song.store == nil)
        #expect(!store.hasChanges)
        store.insert(song)
        #expect(try store.objects(of: Song.self).count == 1)
        try store.save()
        #expect(try store.count(of: Song.self) == 1)
    }
}
