import Cabinet
import CabinetMemory
import Testing

@testable import CabinetTestModel

struct RollbackTests {
    let backend = MemoryBackend()

    func open() throws -> Store {
        try Store(backend: backend, classes: [Song.self, Playlist.self, Node.self])
    }

    @Test func everythingReturns() throws {
        let store = try open()
        let songs = (0..<3).map { Song("\($0)") }
        songs.forEach(store.insert)
        let list = Playlist("List", songs)
        store.insert(list)
        let buffer = DataBuffer()
        buffer.writeInt(1)
        store.namedBuffers["x"] = buffer
        try store.save()
        let new = Song("new")
        store.insert(new)
        list.songs = [new, songs[1]]
        try store.delete(songs[2])
        store.namedBuffers["x"] = nil
        store.namedBuffers["y"] = buffer
        store.insert(Person("not registered"))
        #expect(throws: StoreError.classNotRegistered("Person")) { try store.save() }
        store.rollback()
        #expect(!store.hasChanges)
        #expect(new.rowID == 0 && new.store == nil && !new.isInserted)
        #expect(list.isFault)
        #expect(list.songs.map(\.title) == ["0", "1", "2"])
        #expect(list.songs[2] === songs[2])
        #expect(!songs[2].isDeleted)
        #expect(try store.namedBuffers.all() == ["x"])
        #expect(try store.count(of: Song.self) == 3)
        try store.save()
        store.insert(new)
        try store.save()
        #expect(try open().objects(of: Song.self).map(\.title) == ["0", "1", "2", "new"])
    }

    @Test func twiceAndWithNothingPendingItIsHarmless() throws {
        let store = try open()
        store.rollback()
        store.insert(Song("x"))
        store.rollback()
        store.rollback()
        #expect(try store.count(of: Song.self) == 0)
    }

    @Test func anInsertThatWasDeletedIsPlainAgain() throws {
        let store = try open()
        let song = Song("x")
        store.insert(song)
        try store.delete(song)
        store.rollback()
        #expect(song.store == nil)
        #expect(!song.isDeleted)
        store.insert(song)
        try store.save()
        #expect(try store.count(of: Song.self) == 1)
    }

    @Test func aSavedDeleteThatWasUndoneIsDeletedAgain() throws {
        let store = try open()
        store.undoHistory.isEnabled = true
        let song = Song("x")
        store.insert(song)
        try store.save()
        try store.delete(song)
        try store.save()
        for _ in 0..<3 {
            try store.undoHistory.undo()
            #expect(song.isInserted)
            store.rollback()
            #expect(song.isDeleted)
            #expect(song.rowID == 2)
            #expect(song.store === store)
        }
        try store.undoHistory.undo()
        try store.save()
        #expect(try open().object(Song.self, rowID: 2)?.title == "x")
    }

    @Test func itTrapsWhereItWouldPullAwayTheGround() async {
        await #expect(processExitsWith: .failure) {
            let store = try Store(inMemory: [Song.self])
            store.insert(Song("x"))
            try store.save()
            try store.forEach(Song.self) { _ in store.rollback() }
        }
        await #expect(processExitsWith: .failure) {
            let store = try Store(inMemory: [Song.self])
            try store.undoHistory.group { store.rollback() }
        }
        await #expect(processExitsWith: .success) {
            let store = try Store(inMemory: [Song.self])
            store.insert(Song("x"))
            try store.save()
            try store.forEach(Song.self) { _ in }
            try store.undoHistory.group {}
            store.rollback()
        }
    }
}
