import Cabinet
import CabinetTestSupport
import Testing

@testable import CabinetTestModel

/// Inserts one after the other, of which most take a shorter way than the first and the observed.
struct InsertingTests {
    @Test func manyInsertsAreAsOne() throws {
        let temporary = try TemporaryStore([Song.self, Playlist.self])
        let store = temporary.store
        // Enough for memory that is touched ahead, too.
        var songs: [Song] = []
        for number in 0..<50_000 {
            let song = Song("Song \(number)", seconds: UInt32(number))
            store.insert(song)
            store.insert(song)
            songs.append(song)
            if number == 20_000 { store.insert(Playlist("Half", songs)) }
        }
        #expect(songs.map(\.rowID) == Array(2..<50_002))
        #expect(songs.allSatisfy { $0.isInserted && $0.store === store })
        #expect(try store.count(of: Song.self) == 50_000)
        #expect(try store.count(of: Playlist.self) == 1)
        #expect(try store.object(Song.self, rowID: 40_000) === songs[39_998])
        try store.save()
        #expect(!store.hasChanges)
        #expect(songs.allSatisfy { !$0.isInserted && !$0.isChanged })
        songs[7].title = "Changed"
        #expect(songs[7].isChanged && store.hasChanges)
        let sum = songs.reduce(0) { $0 + $1.seconds }

        let again = try temporary.reopen()
        #expect(songs.allSatisfy { $0.store == nil && $0.rowID == 0 && !$0.isChanged })
        #expect(songs[7].title == "Changed")
        #expect(try again.objects(of: Song.self).reduce(0) { $0 + $1.seconds } == sum)
        #expect(try again.object(Song.self, rowID: 9)?.title == "Song 7")
    }

    @Test func insertsThatAreRecordedAreTakenBack() throws {
        let temporary = try TemporaryStore([Song.self, Playlist.self])
        let store = temporary.store
        for number in 0..<10 { store.insert(Song("\(number)")) }
        store.undoHistory.isEnabled = true
        let song = Song("Taken back")
        store.insert(song)
        try store.undoHistory.undo()
        #expect(song.isDeleted || song.store == nil)
        #expect(try store.count(of: Song.self) == 10)
        store.undoHistory.isEnabled = false
        let last = Song("Last")
        store.insert(last)
        store.rollback()
        #expect(last.store == nil && last.rowID == 0)
        #expect(try store.count(of: Song.self) == 0)
        store.insert(last)
        #expect(last.isInserted && last.store === store)
    }

    @Test func aClosedStoreTakesNothing() throws {
        let temporary = try TemporaryStore([Song.self, Playlist.self])
        let store = temporary.store
        for number in 0..<10 { store.insert(Song("\(number)")) }
        try store.save()
        try store.close()
        let late = Song("Late")
        store.insert(late)
        #expect(late.store == nil && !late.isInserted && late.rowID == 0)
    }

    @Test func whatOnlyTheChangesHoldIsGoneAfterTheSave() throws {
        let temporary = try TemporaryStore([Song.self, Playlist.self])
        weak var song: Song?
        do {
            let new = Song("Nobody's")
            temporary.store.insert(new)
            song = new
        }
        #expect(song != nil)
        try temporary.store.save()
        #expect(song == nil)
        #expect(try temporary.store.objects(of: Song.self).map(\.title) == ["Nobody's"])
    }
}
