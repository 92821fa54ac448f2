import Cabinet
import CabinetMemory
import Testing

@testable import CabinetTestModel

struct DelegateTests {
    let store: Store
    let listener = Listener()

    init() throws {
        store = try Store(inMemory: [Song.self, Playlist.self])
        store.delegate = listener
    }

    func calls(_ body: () throws -> Void) rethrows -> [String] {
        listener.calls = []
        try body()
        return listener.calls
    }

    @Test func callsComeInOrder() throws {
        let song = Song("x")
        #expect(calls { store.insert(song) } == ["changing", "insert Song 0", "changed"])
        #expect(calls { song.title = "y" } == [], "an inserted object has changed already")
        #expect(try calls { try store.save() } == ["saved"])
        #expect(try calls { try store.save() } == [])
        #expect(
            calls { song.title = "z" } == ["changing", "update Song 2"],
            "a class that writes its content itself does not say when it was set")
        #expect(calls { song.title = "a" } == [])
        #expect(try calls { try store.delete(song) } == ["changing", "delete Song 2", "changed"])
        #expect(try calls { try store.delete(song) } == [])
        #expect(calls { store.insert(song) } == ["changing", "insert Song 2", "changed"])
        #expect(calls { store.namedBuffers["x"] = DataBuffer() } == ["changing", "changed"])
        #expect(calls { store.rollback() } == ["changing", "changed"])
        #expect(try calls { try store.rollback(song) } == ["changing", "changed"])
        store.undoHistory.isEnabled = true
        song.title = "b"
        #expect(calls { song.title = "c" } == ["changing"])
        #expect(try calls { try store.undoHistory.undo() } == ["changing", "changed"])
        #expect(
            try calls { try store.undoHistory.group { song.title = "d" } } == [
                "changing", "changed",
            ])
        store.delegate = nil
        #expect(calls { song.title = "d" } == [])
    }

    @Test func aDeleteTellsOfAllThatGoesAndOfChangesBefore() throws {
        let song = Song("x")
        store.insert(song)
        store.insert(Playlist("List", [song]))
        try store.save()
        #expect(
            try calls { try store.delete(song) }
                == ["changing", "update Playlist 2", "delete Song 2", "changed"])
    }

    /// The store called the delegate before it marked the object, so that the delegate's edit
    /// called the delegate again, without end.
    @Test func aDelegateMayEditWhatIsBeingEdited() throws {
        let song = Song("x")
        store.insert(song)
        try store.save()
        listener.onUpdate = { ($0 as? Song)?.seconds += 1 }
        song.title = "y"
        #expect(song.seconds == 1)
        #expect(song.title == "y")
        try store.save()
        try store.rollback(song)
        #expect(song.seconds == 1)
    }

    /// The object got two rows.
    @Test func aDelegateMayInsertWhatIsBeingInserted() throws {
        listener.onInsert = { [store, listener] in
            listener.onInsert = nil
            store.insert($0)
        }
        let song = Song("x")
        store.insert(song)
        #expect(try store.objects(of: Song.self).map(\.rowID) == [2])
        #expect(song.rowID == 2)
    }

    /// The save marked the object as clean, and then its property was set.
    @Test func aSaveBetweenAMarkAndItsChangeIsRefused() throws {
        let song = Song("x")
        store.insert(song)
        try store.save()
        listener.onAnnouncement = { store in
            #expect(throws: StoreError.stepUnderWay) { try store.save() }
        }
        listener.onUpdate = { [store] _ in
            #expect(throws: StoreError.stepUnderWay) { try store.save() }
        }
        song.title = "y"
        listener.onChange = { try? $0.save() }
        #expect(store.hasChanges)
        listener.onAnnouncement = nil
        store.insert(Song("z"))
        #expect(!store.hasChanges, "after an insert it is possible")
        try store.rollback(song)
        #expect(song.title == "y")
    }

    @Test func aDelegateIsNotRetained() throws {
        do {
            let passing = Listener()
            store.delegate = passing
            #expect(store.delegate === passing)
        }
        #expect(store.delegate == nil)
        store.insert(Song())
    }
}
