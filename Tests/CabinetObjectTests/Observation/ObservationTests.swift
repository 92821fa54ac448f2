import Cabinet
import CabinetBackend
import CabinetMemory
import Observation
import Testing

@testable import CabinetTestModel

struct ObservationTests {
    let backend = MemoryBackend()

    func open() throws -> Store { try Bell.observedStore(on: backend) }

    @Test func aFieldIsWatchedByItself() throws {
        let store = try open()
        let (track, other) = (Track("One"), Track("Two"))
        store.insert(track)
        store.insert(other)
        for _ in 0..<2 {
            #expect(Bell.rings(track.title) { track.title = "new" })
            #expect(Bell.rings(track.title) { track.title += "er" })
            #expect(!Bell.rings(track.title) { track.seconds = 4 })
            #expect(!Bell.rings(track.title) { other.title = "else" })
            #expect(Bell.rings(track.seconds) { track.seconds += 4 })
            try store.save()
            store.undoHistory.isEnabled.toggle()
        }
        let bell = Bell()
        bell.watch { _ = (track.title, track.seconds, other.title) }
        bell.watch { _ = track.title }
        track.title = "a"
        other.title = "b"
        track.title = "c"
        #expect(bell.rings == 2, "each once")
    }

    @Test func observersAreToldBeforeTheChange() throws {
        let store = try open()
        let track = Track("before")
        store.insert(track)
        nonisolated(unsafe) let (reportsChange, inside) = (track, store)
        let seen = Guarded<[String]>([])
        withObservationTracking {
            _ = reportsChange.title
        } onChange: {
            seen.withLock { $0.append(reportsChange.title) }
            #expect(throws: StoreError.stepUnderWay) { try inside.save() }
        }
        track.title = "after"
        #expect(seen.withLock { $0 } == ["before"])
        try store.save()
    }

    @Test func aHandWrittenClassIsWatchedAsAWhole() throws {
        let store = try open()
        let (song, list) = (Song("One", seconds: 1), Playlist("List"))
        store.insert(song)
        store.insert(list)
        #expect(Bell.rings(song.title) { song.title = "new" })
        #expect(Bell.rings(song.title) { song.seconds += 1 })
        #expect(!Bell.rings(song.title) { list.songs.append(song) })
        #expect(Bell.rings(list.songs.count) { list.songs.swapAt(0, 0) })
        // Its own delete rule takes the song out of the list.
        try store.save()
        #expect(try Bell.rings(list.songs) { try store.delete(song) })
        #expect(list.songs.isEmpty)
    }

    @Test func whatIsTakenBackIsTold() throws {
        let store = try open()
        store.undoHistory.isEnabled = true
        let (track, other) = (Track("One"), Track("Two"))
        store.insert(track)
        store.insert(other)
        try store.save()
        track.title = "changed"
        #expect(try Bell.rings(track.title) { try store.undoHistory.undo() })
        #expect(track.title == "One")
        #expect(try Bell.rings(track.title) { try store.undoHistory.redo() })
        #expect(try !Bell.rings(other.title) { try store.undoHistory.undo() })
        track.title = "changed"
        #expect(Bell.rings(track.title) { store.rollback() })
        #expect(track.title == "One")
        track.title = "changed"
        #expect(try Bell.rings(track.title) { try store.rollback(track) })
        #expect(track.title == "One")
        struct No: Error {}
        let bell = Bell()
        #expect(throws: No.self) {
            try store.undoHistory.group {
                track.title = "in the group"
                bell.watch { _ = track.title }
                throw No()
            }
        }
        #expect(bell.rings == 1)
    }

    @Test func whatAnObjectIsToItsStoreIsWatched() throws {
        let store = try open()
        store.undoHistory.isEnabled = true
        let track = Track("One")
        store.insert(track)
        #expect(try Bell.rings(track.isInserted) { try store.save() })
        #expect(Bell.rings(track.isChanged) { track.title = "new" })
        #expect(!Bell.rings(track.isChanged) { track.title = "newer" })
        #expect(try Bell.rings(track.isChanged) { try store.save() })
        #expect(try Bell.rings(track.isDeleted) { try store.delete(track) })
        #expect(try Bell.rings(track.isDeleted) { try store.undoHistory.undo() })
        #expect(!track.isDeleted)
        #expect(try Bell.rings(track.title) { try store.delete(track) })
        #expect(Bell.rings(track.isDeleted) { store.insert(track) })
        #expect(try !Bell.rings(track.title) { try store.save() })
        let new = Track("new")
        store.insert(new)
        #expect(Bell.rings(new.title) { store.rollback() })
        #expect(new.store == nil)
    }

    @Test func aRowThatTurnsOutToBeGoneIsTold() throws {
        let store = try open()
        let track = Track("One")
        store.insert(track)
        try store.save()
        try backend.put(nil, at: track.rowID, of: "Track")
        try store.rollback(track)
        #expect(Bell.rings(track.isDeleted) { _ = track.title })
        #expect(track.isDeleted)
    }

    // MARK: When

    @Test func watchingBeginsWithTheSwitchOrWithAFault() throws {
        do {
            let store = try open()
            store.insert(Track("One"))
            store.insert(Track("Two"))
            let list = TuneList()
            store.insert(list)
            list.tunes = [Tune("a")]
            try store.save()
        }
        let store = try open()
        store.isObserved = false
        let tracks = try store.objects(of: Track.self)
        #expect(!Bell.rings(tracks[0].title) { tracks[0].title = "unseen" })
        let list = try #require(try store.objects(of: TuneList.self).first)
        #expect(list.tunes[0].isFault && !store.isObserved)
        #expect(Bell.rings(list.tunes[0].title) { list.tunes[0].title = "seen" })
        #expect(store.isObserved)
        #expect(Bell.rings(tracks[1].title) { tracks[1].title = "seen" })
        let new = Track("new")
        #expect(!Bell.rings(new.title) { new.title = "in no store" })
        store.insert(new)
        #expect(Bell.rings(new.title) { new.title = "in a store" })
        let bell = Bell()
        bell.watch { _ = new.title }
        store.isObserved = false
        new.title = "unseen again"
        #expect(bell.rings == 0 && store.debugReport.observedObjects == 0)
    }

    @Test func aFaultReadByNobodyDoesNotSwitchOn() throws {
        do {
            let store = try open()
            let list = TuneList()
            store.insert(list)
            list.tunes = [Tune("a")]
            try store.save()
        }
        let store = try open()
        store.isObserved = false
        let list = try #require(try store.objects(of: TuneList.self).first)
        #expect(list.tunes[0].title == "a")
        #expect(!store.isObserved && store.debugReport.observedObjects == 0)
    }

    @Test @MainActor func observationsGiveEachValueThatStays() async throws {
        let store = try open()
        let track = Track("0")
        store.insert(track)
        guard #available(macOS 26, *) else { return }
        nonisolated(unsafe) let reportsChange = track
        var iterator = Observations { reportsChange.title }.makeAsyncIterator()
        #expect(await iterator.next() == "0")
        for number in 1...3 {
            track.seconds += 1
            track.title = "between"
            track.title = "\(number)"
            #expect(await iterator.next() == "\(number)")
        }
    }
}
