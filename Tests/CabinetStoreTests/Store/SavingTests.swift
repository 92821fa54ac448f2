import Cabinet
import CabinetMemory
import Testing

@testable import CabinetTestModel

struct SavingTests {
    let backend = MemoryBackend()

    func open(_ classes: [StoredObject.Type] = [Song.self, Playlist.self]) throws -> Store {
        try Store(backend: backend, classes: classes)
    }

    @Test func aGraphComesBackInItsOrder() throws {
        let store = try open()
        let songs = (0..<10).map { Song("Song \($0)", seconds: UInt32($0)) }
        songs.forEach(store.insert)
        let order = [3, 1, 1, 9, 0].map { songs[$0] }
        store.insert(Playlist("Mixed", order))
        #expect(store.hasChanges)
        try store.save()
        #expect(!store.hasChanges)

        let again = try open([Playlist.self, Song.self])
        let playlist = try #require(try again.objects(of: Playlist.self).first)
        #expect(playlist.songs.map(\.title) == ["Song 3", "Song 1", "Song 1", "Song 9", "Song 0"])
        #expect(playlist.songs[1] === playlist.songs[2])
        #expect(try again.objects(of: Song.self).map(\.rowID) == Array(2..<12))
        #expect(playlist.songs[0] === (try again.object(Song.self, rowID: 5)))
    }

    @Test func aDeletedSongLeavesItsLists() throws {
        let store = try open()
        let songs = (0..<3).map { Song("\($0)") }
        songs.forEach(store.insert)
        store.insert(Playlist("All", songs + songs))
        try store.save()

        let again = try open()
        let second = try #require(try again.object(Song.self, rowID: songs[1].rowID))
        try again.delete(second)
        #expect(second.isDeleted)
        #expect(try again.count(of: Song.self) == 2)
        try again.save()

        let third = try open()
        let list = try #require(try third.objects(of: Playlist.self).first)
        #expect(list.songs.map(\.title) == ["0", "2", "0", "2"])
        #expect(try third.object(Song.self, rowID: songs[1].rowID) == nil)
    }

    @Test func aDeniedDeleteIsTakenBackWhole() throws {
        let store = try open()
        let list = Playlist("Locked")
        list.isLocked = true
        store.insert(list)
        try store.save()
        #expect(throws: StoreError.self) { try store.delete(list) }
        #expect(!list.isDeleted)
        #expect(!store.hasChanges)
    }

    @Test func rollbackBringsBackWhatWasSaved() throws {
        let store = try open()
        let song = Song("Before")
        store.insert(song)
        try store.save()
        song.title = "After"
        let new = Song("New")
        store.insert(new)
        store.rollback()
        #expect(song.title == "Before")
        #expect(new.store == nil)
        #expect(new.rowID == 0)
        #expect(new.title == "New")
        #expect(!store.hasChanges)
    }

    @Test func undoAfterASaveBringsBackRowInstanceAndOrder() throws {
        let store = try open()
        store.undoHistory.isEnabled = true
        let songs = (0..<4).map { Song("\($0)") }
        songs.forEach(store.insert)
        let list = Playlist("All", songs)
        store.insert(list)
        try store.save()
        let row = songs[1].rowID
        try store.delete(songs[1])
        try store.save()
        #expect(list.songs.map(\.title) == ["0", "2", "3"])
        try store.undoHistory.undo()
        #expect(list.songs.map(\.title) == ["0", "1", "2", "3"])
        #expect(list.songs[1] === songs[1])
        #expect(songs[1].rowID == row)
        try store.save()
        let again = try open()
        #expect(try again.objects(of: Playlist.self)[0].songs.map(\.rowID) == [2, 3, 4, 5])
        try store.undoHistory.redo()
        #expect(list.songs.map(\.title) == ["0", "2", "3"])
        #expect(songs[1].isDeleted)
    }

    @Test func namedBuffersAreSavedWithTheObjects() throws {
        let store = try open()
        let song = Song("Favorite")
        store.insert(song)
        let buffer = DataBuffer()
        buffer.writeReference(song)
        store.namedBuffers["Favorite"] = buffer
        try store.save()
        let again = try open()
        let found = try #require(again.namedBuffers["Favorite"])
        #expect(try found.readReference(to: Song.self)?.title == "Favorite")
    }
}
