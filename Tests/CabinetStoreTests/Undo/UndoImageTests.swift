import Cabinet
import CabinetMemory
import Testing

@testable import CabinetTestModel

/// What stands in the images that undo goes back to, when objects and rows have gone meanwhile.
struct UndoImageTests {
    let backend = MemoryBackend()
    let store: Store
    var history: UndoHistory { store.undoHistory }

    init() throws {
        store = try Store(
            backend: backend, classes: [Song.self, Playlist.self, Node.self, Person.self])
        history.isEnabled = true
    }

    func reopened() throws -> Store { try Store(backend: backend, classes: [Song.self]) }

    @Test func undoReachesBackAcrossSavesAndObjectsThatNobodyHolds() throws {
        do {
            let song = Song("a")
            store.insert(song)
            try store.save()
            song.title = "b"
            try store.save()
            try history.group("Both") {
                song.title = "c"
                try store.delete(song)
            }
            try store.save()
        }
        history.isEnabled = true
        // The steps hold no saved object; what comes back is a new instance in the same row.
        try history.undo()
        let song = try #require(try store.object(Song.self, rowID: 2))
        #expect(song.title == "b")
        try store.save()
        #expect(try reopened().objects(of: Song.self).map(\.title) == ["b"])
        try history.undo()
        #expect(song.title == "a")
        #expect(song.isChanged)
        try history.undo()
        #expect(song.isDeleted)
        try store.save()
        #expect(try reopened().count(of: Song.self) == 0)
        for _ in 0..<3 { try history.redo() }
        #expect(song.isDeleted)
        try store.save()
    }

    @Test func imagesKeepReferencesToWhatHasNoRow() throws {
        let outside = Person("outside")
        let inside = Person("inside")
        let ann = Person("Ann", friend: outside, things: [outside, inside, Blob()])
        store.insert(inside)
        store.insert(ann)
        let blob = ann.things[2]
        ann.things = []
        ann.friend = nil
        try history.undo()
        try history.undo()
        #expect(ann.friend === outside)
        #expect(ann.things.count == 3)
        #expect(ann.things[0] === outside)
        #expect(ann.things[1] === inside)
        #expect(ann.things[2] === blob, "though its class is not registered")
    }

    /// The deleted object had gone, and dropped out of the relationship that came back.
    @Test func imagesKeepReferencesToTheDeleted() throws {
        do {
            let friend = Person("friend")
            store.insert(friend)
            let ann = Person("Ann", things: [friend])
            store.insert(ann)
            try store.save()
            try store.delete(friend)
            ann.things = []
            try store.save()
        }
        #expect(try store.object(Person.self, rowID: 2) == nil)
        try history.undo()
        try history.undo()
        let ann = try #require(try store.object(Person.self, rowID: 3))
        #expect(ann.things.map(\.rowID) == [2])
        #expect((ann.things[0] as? Person)?.values.name == "friend")
        #expect(try store.object(Person.self, rowID: 2) === ann.things[0])
    }

    /// Undoing the delete of an object that cannot be read wrote a new object's content over it.
    @Test func anUnreadableObjectComesBackUnreadable() throws {
        let song = Song("a")
        store.insert(song)
        try store.save()
        try backend.put([1, 2, 3], at: 2, of: "Song")
        try store.refresh()
        #expect(song.title == "")
        try store.delete(song)
        try history.undo()
        #expect(!song.isDeleted)
        #expect(!store.hasChanges)
        try store.delete(song)
        try store.save()
        #expect(throws: StoreError.contentNotRead(class: "Song", row: 2)) { try history.undo() }
        #expect(song.isDeleted)
        #expect(!store.hasChanges)
    }

    @Test func anUndoThatCannotReadWhatIsThereChangesNothing() throws {
        do {
            let song = Song("a")
            store.insert(song)
            store.insert(Song("b"))
            try store.save()
            history.removeAll()
            try history.group {
                song.title = "c"
                try store.object(Song.self, rowID: 3)?.title = "d"
            }
            try store.save()
        }
        try backend.put(nil, at: 2, of: "Song")
        #expect(throws: StoreError.rowGone(class: "Song", row: 2)) { try history.undo() }
        #expect(try store.object(Song.self, rowID: 3)?.title == "d")
        #expect(!store.hasChanges)
        #expect(history.canUndo)
    }

    @Test func anObjectThatCannotBeWrittenIsNotUndoneIntoNothing() throws {
        let store = try Store(inMemory: [Blob.self])
        store.undoHistory.isEnabled = true
        let blob = Blob()
        blob.bytes = [1, 2]
        blob.isUnwritable = true
        store.insert(blob)
        blob.bytes = [3]
        #expect(throws: DataBufferError.self) { try store.undoHistory.undo() }
        #expect(blob.bytes == [3])
    }

    /// An image says 0 for the class of what the store has no row for, and no class has that
    /// number.
    @Test func anObjectOfAnotherStoreComesBackToo() throws {
        let (mine, theirs) = (try Store(inMemory: tunes), try Store(inMemory: tunes))
        let (song, list, disc, otherList) = (Tune("a"), TuneList(), Disc(), TuneList())
        for object in [disc, otherList] as [StoredObject] { theirs.insert(object) }
        for object in [song, list] as [StoredObject] { mine.insert(object) }
        song.lists = [list]
        try mine.save()
        mine.undoHistory.isEnabled = true
        song.album = disc
        song.lists.append(otherList)
        try mine.delete(song)
        try mine.undoHistory.undo()
        #expect(song.fetchError == nil && song.title == "a" && song.album === disc)
        #expect(song.lists.count == 2 && song.lists.last === otherList)
    }
}
