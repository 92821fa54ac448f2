import Cabinet
import CabinetMemory
import Testing

@testable import CabinetTestModel

/// What rolling back one object means for the other sides of its relationships, and refreshing it.
struct RefreshTests {
    let backend = MemoryBackend()

    func open() throws -> Store { try Store(backend: backend, classes: tunes) }

    /// A list with the first of two tunes, which is on a disc; all saved.
    func filled(_ store: Store) throws -> (list: TuneList, disc: Disc, tunes: [Tune]) {
        let (list, disc, songs) = (TuneList(), Disc(), [Tune("a"), Tune("b")])
        list.tunes = [songs[0]]
        disc.tracks = [songs[0]]
        for object in songs + [list, disc] { store.insert(object) }
        try store.save()
        return (list, disc, songs)
    }

    func expectAsSaved(_ list: TuneList, _ disc: Disc, _ tunes: [Tune]) {
        #expect(list.tunes.map(\.title) == ["a"] && disc.tracks.map(\.title) == ["a"])
        #expect(tunes[0].lists.first === list && tunes[0].album === disc)
        #expect(tunes[1].lists.isEmpty && tunes[1].album == nil)
    }

    @Test func aRefreshKeepsWhatIsPending() throws {
        let store = try open()
        let (list, _, tunes) = try filled(store)
        tunes[0].title = "new"
        list.tunes.append(tunes[1])
        for object in [tunes[0], list] {
            let error = StoreError.pendingChanges(
                class: type(of: object).storageName, row: object.rowID)
            #expect(throws: error) { try store.reload(object) }
        }
        #expect(tunes[0].title == "new" && list.tunes.count == 2)
        try store.rollback(tunes[0])
        #expect(tunes[0].title == "a" && !tunes[0].isChanged)
        try store.reload(tunes[0])
        #expect(tunes[0].title == "a")
    }

    @Test(arguments: ["list", "disc", "tunes"])
    func theOtherSidesGoAlong(_ which: String) throws {
        let store = try open()
        let (list, disc, tunes) = try filled(store)
        list.tunes.append(tunes[1])
        tunes[1].album = disc
        tunes[0].lists = []
        disc.title = "kept"
        switch which {
        case "list":
            try store.rollback(list)
            disc.tracks = [tunes[0]]
        case "disc":
            try store.rollback(disc)
            list.tunes = [tunes[0]]
        default:
            for tune in tunes { try store.rollback(tune) }
            #expect(disc.title == "kept")
        }
        expectAsSaved(list, disc, tunes)
        try store.save()
        let again = try open()
        expectAsSaved(
            try again.objects(of: TuneList.self)[0], try again.objects(of: Disc.self)[0],
            try again.objects(of: Tune.self))
    }

    /// A tune that left its disc for another leaves the other again.
    @Test func anOwnerGetsItsOwnBack() throws {
        let store = try open()
        let (_, disc, tunes) = try filled(store)
        let other = Disc()
        store.insert(other)
        other.tracks = [tunes[1], tunes[0]]
        #expect(disc.tracks.isEmpty)
        try store.rollback(tunes[0])
        #expect(tunes[0].album === disc && disc.tracks.first === tunes[0])
        #expect(other.tracks.map(\.title) == ["b"])
    }

    @Test func whatAnotherStoreSavedIsReadOnBothSides() throws {
        let mine = try open()
        let (list, disc, tunes) = try filled(mine)
        let theirs = try open()
        let theirList = try #require(try theirs.object(TuneList.self, rowID: list.rowID))
        let theirTune = try #require(try theirs.object(Tune.self, rowID: tunes[1].rowID))
        theirList.title = "theirs"
        theirList.tunes.insert(theirTune, at: 0)
        try theirs.save()
        #expect(tunes[1].lists.isEmpty && list.title == "")
        try mine.rollback(tunes[1])
        #expect(tunes[1].lists.isEmpty && list.title == "", "as of the store's basis")
        try mine.refresh()
        #expect(tunes[1].lists.first === list && list.tunes.map(\.title) == ["b", "a"])
        #expect(list.title == "theirs" && !mine.hasChanges && disc.tracks.count == 1)
    }

    @Test func aDeletedObjectComesBackOnBothSides() throws {
        let store = try open()
        let (list, disc, tunes) = try filled(store)
        try store.delete(tunes[0])
        #expect(list.tunes.isEmpty && disc.tracks.isEmpty)
        try store.rollback(tunes[0])
        #expect(!tunes[0].isDeleted)
        expectAsSaved(list, disc, tunes)
    }

    @Test func undoTakesARefreshBackOnBothSides() throws {
        let store = try open()
        let (list, disc, tunes) = try filled(store)
        store.undoHistory.isEnabled = true
        list.tunes.append(tunes[1])
        try store.rollback(tunes[1])
        expectAsSaved(list, disc, tunes)
        try store.undoHistory.undo()
        #expect(list.tunes.count == 2 && tunes[1].lists.first === list)
        try store.undoHistory.redo()
        expectAsSaved(list, disc, tunes)
    }

    @Test func whatCannotBeReadChangesNoOtherSide() throws {
        let store = try open()
        let (list, _, tunes) = try filled(store)
        list.tunes.append(tunes[1])
        let table = try #require(try backend.tables().first { $0.name == "Tune" }).number
        let batch = backend.makeBatch()
        let buffer = batch.beginRecord(tunes[1].rowID, in: table)
        buffer.writeUInt8(1)
        try batch.endRecord()
        try backend.commit(batch)
        try store.rollback(tunes[1])
        #expect(tunes[1].fetchError != nil && list.tunes.count == 2)
    }
}
