import Cabinet
import CabinetMemory
import Testing

@testable import CabinetTestModel

struct UndoTests {
    struct GivenUp: Error {}

    let backend = MemoryBackend()
    let store: Store
    var history: UndoHistory { store.undoHistory }

    init() throws {
        store = try Store(
            backend: backend, classes: [Song.self, Playlist.self, Node.self, Person.self])
        history.isEnabled = true
    }

    @Test func everyEditIsAStep() throws {
        let song = Song("a")
        store.insert(song)
        song.title = "b"
        song.seconds = 5
        let list = Playlist("List", [song])
        store.insert(list)
        list.songs.append(song)
        try store.delete(song)
        #expect(list.songs.isEmpty)
        try history.undo()
        #expect(list.songs.count == 2 && list.songs[1] === song)
        #expect(!song.isDeleted)
        try history.undo()
        #expect(list.songs.count == 1)
        try history.undo()
        #expect(list.isDeleted)
        try history.undo()
        #expect(song.seconds == 0)
        try history.undo()
        #expect(song.title == "a")
        try history.undo()
        #expect(song.isDeleted)
        #expect(!store.hasChanges)
        #expect(try !history.undo())
        for _ in 0..<6 { #expect(try history.redo()) }
        #expect(try !history.redo())
        #expect(song.isDeleted)
        #expect(song.rowID == 2)
        #expect(list.songs.isEmpty)
    }

    @Test func aNewChangeForgetsWhatCouldBeRedone() throws {
        let song = Song("a")
        store.insert(song)
        song.title = "b"
        try history.undo()
        #expect(history.canRedo)
        #expect(throws: GivenUp.self) { try history.group { throw GivenUp() } }
        try history.group {}
        #expect(history.canRedo, "nothing has changed")
        song.title = "c"
        #expect(!history.canRedo)
    }

    @Test func groupsHaveNamesAndNest() throws {
        let song = Song("a")
        store.insert(song)
        #expect(history.undoName == "")
        let result = try history.group("Outer") {
            song.title = "b"
            try history.group("Inner") { song.seconds = 1 }
            store.insert(Song("other"))
            return 42
        }
        #expect(result == 42)
        #expect(history.undoName == "Outer")
        try history.undo()
        #expect(song.title == "a" && song.seconds == 0)
        #expect(try store.count(of: Song.self) == 1)
        #expect(history.redoName == "Outer")
        try history.redo()
        #expect(song.title == "b" && song.seconds == 1)
        #expect(history.redoName == nil)
    }

    @Test(arguments: [true, false])
    func aGroupThatThrowsLeavesNothing(_ isEnabled: Bool) throws {
        history.isEnabled = isEnabled
        let song = Song("a")
        let list = Playlist("List", [song])
        store.insert(song)
        store.insert(list)
        try store.save()
        list.title = "pending"
        history.removeAll()
        let new = Song("new")
        #expect(throws: GivenUp.self) {
            try history.group {
                song.title = "b"
                store.insert(new)
                list.songs = [new, song]
                try store.delete(song)
                do {
                    try history.group {
                        list.title = "inner"
                        throw GivenUp()
                    }
                } catch is GivenUp {}
                #expect(list.title == "pending")
                throw GivenUp()
            }
        }
        #expect(song.title == "a" && !song.isChanged && !song.isDeleted)
        #expect(list.songs.map(\.title) == ["a"])
        #expect(list.title == "pending" && list.isChanged)
        #expect(new.store == nil)
        #expect(!history.canUndo)
        try store.save()
    }

    @Test func whatNeedsAWholeStepIsRefusedInAGroup() throws {
        let song = Song("a")
        store.insert(song)
        try history.group {
            song.title = "b"
            #expect(throws: StoreError.stepUnderWay) { try store.save() }
            #expect(throws: StoreError.stepUnderWay) { try history.undo() }
            #expect(throws: StoreError.stepUnderWay) { try history.redo() }
            #expect(throws: StoreError.stepUnderWay) { try store.close() }
            #expect(throws: StoreError.stepUnderWay) { try store.upgradeAll() }
        }
        try store.save()
    }

    @Test func limitsDropTheOldestSteps() throws {
        let song = Song("0")
        store.insert(song)
        history.stepLimit = 3
        for index in 1...10 { song.title = "\(index)" }
        var undone = 0
        while try history.undo() { undone += 1 }
        #expect(undone == 3)
        #expect(song.title == "7")
        history.stepLimit = 0
        #expect(history.stepLimit == 1)
        song.title = "8"
        song.title = "9"
        #expect(try history.undo())
        #expect(try !history.undo())
        history.stepLimit = 1000
        history.byteLimit = 1000
        for _ in 0..<100 { song.title = String(repeating: "x", count: 200) }
        undone = 0
        while try history.undo() { undone += 1 }
        #expect((1...5).contains(undone))
        history.byteLimit = 0
        song.title = "a"
        song.title = "b"
        #expect(try history.undo(), "never the last one")
        #expect(try !history.undo())
    }

    /// The memory of all steps was summed up again at each of them.
    @Test func recordingCostsTheSameHoweverManyStepsThereAre() throws {
        history.stepLimit = .max
        for index in 0..<20_000 { store.insert(Song("\(index)")) }
        #expect(history.canUndo)
        try store.save()
    }

    @Test func rollbackDropsOnlyStepsSinceTheSave() throws {
        let song = Song("a")
        store.insert(song)
        song.title = "b"
        song.title = "c"
        try history.undo()
        try store.save()
        song.title = "d"
        #expect(!history.canRedo)
        store.rollback()
        #expect(song.title == "b")
        #expect(history.canRedo)
        try history.redo()
        #expect(song.title == "c")
        try history.undo()
        try history.undo()
        #expect(song.title == "a")
    }

    @Test func switchedOffItForgets() throws {
        let song = Song("a")
        store.insert(song)
        song.title = "b"
        history.isEnabled = false
        #expect(!history.canUndo)
        song.title = "c"
        #expect(try !history.undo())
        history.isEnabled = true
        song.title = "d"
        try history.undo()
        #expect(song.title == "c", "what was pending while it was off is heard of again")
    }

    @Test func aHistoryThatBeginsInAGroupBeginsAfterIt() throws {
        history.isEnabled = false
        let song = Song("a")
        store.insert(song)
        try history.group {
            try store.delete(song)
            history.isEnabled = true
            store.insert(Song("b"))
        }
        #expect(!history.canUndo)
    }

    @Test func aRefreshOfAPendingObjectIsAStep() throws {
        let song = Song("a")
        store.insert(song)
        try store.save()
        song.title = "b"
        try store.rollback(song)
        #expect(song.title == "a")
        try history.undo()
        #expect(song.title == "b" && song.isChanged)
        try store.delete(song)
        try store.rollback(song)
        #expect(!song.isDeleted)
        try history.undo()
        #expect(song.isDeleted)
        try history.undo()
        #expect(song.title == "b")
        #expect(throws: GivenUp.self) {
            try history.group {
                try store.rollback(song)
                throw GivenUp()
            }
        }
        #expect(song.title == "b" && song.isChanged)
    }
}
