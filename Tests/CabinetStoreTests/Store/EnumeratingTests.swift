import Cabinet
import CabinetMemory
import Testing

@testable import CabinetTestModel

struct EnumeratingTests {
    let backend = MemoryBackend()

    func open() throws -> Store {
        try Store(backend: backend, classes: [Song.self, Playlist.self])
    }

    func filled(_ count: Int) throws -> Store {
        let store = try open()
        for index in 0..<count { store.insert(Song("\(index)")) }
        try store.save()
        return store
    }

    @Test func pendingChangesAreSeen() throws {
        let store = try filled(4)
        let songs = try store.objects(of: Song.self)
        songs[2].title = "edited"
        try store.delete(songs[0])
        let new = Song("new")
        store.insert(new)
        let titles = ["1", "edited", "3", "new"]
        #expect(try store.objects(of: Song.self).map(\.title) == titles)
        #expect(try store.objects(of: Song.self).map(\.rowID) == [3, 4, 5, 6])
        #expect(try store.count(of: Song.self) == 4)
        #expect(try store.object(Song.self, rowID: 2) == nil)
        #expect(try store.object(Song.self, rowID: 6) === new)
        var met: [String] = []
        try store.forEach(Song.self) { met.append($0.title) }
        #expect(met.sorted() == titles.sorted())
        #expect(try store.object(Song.self, rowID: 0) == nil)
        #expect(try store.object(Song.self, rowID: .max) == nil)
    }

    @Test func rowsAscendEvenWhenAnOldRowIsInsertedAnew() throws {
        let store = try filled(3)
        let songs = try store.objects(of: Song.self)
        try store.delete(songs[0])
        try store.save()
        store.insert(songs[0])
        #expect(songs[0].rowID == 2)
        #expect(songs[0].isInserted)
        #expect(try store.objects(of: Song.self).map(\.rowID) == [2, 3, 4])
        try store.save()
        #expect(try open().objects(of: Song.self).map(\.title) == ["0", "1", "2"])
    }

    @Test func objectsMayBeEditedInsertedAndDeletedInside() throws {
        let store = try filled(1000)
        var met: Set<RowID> = []
        try store.forEach(Song.self) { song in
            #expect(met.insert(song.rowID).inserted)
            switch met.count % 4 {
            case 0: song.title += "!"
            case 1: try store.delete(song)
            case 2: store.insert(Song("inside"))
            default:
                let next = song.rowID == 1001 ? 2 : song.rowID.next
                if let other = try store.object(Song.self, rowID: next) {
                    try store.delete(other)
                }
            }
        }
        #expect(met.allSatisfy { $0 < 1002 }, "what is inserted meanwhile is not met")
        let count = try store.count(of: Song.self)
        #expect(try store.objects(of: Song.self).count == count)
        try store.save()
        #expect(try open().objects(of: Song.self).count == count)
    }

    @Test func whatWouldUpsetAWalkIsRefused() throws {
        let store = try filled(2)
        store.undoHistory.isEnabled = true
        let song = try #require(try store.object(Song.self, rowID: 2))
        song.title = "x"
        try store.forEach(Song.self) { _ in
            try store.forEach(Song.self) { _ in }
            #expect(throws: StoreError.enumerating) { try store.save() }
            #expect(throws: StoreError.enumerating) { try store.undoHistory.undo() }
            #expect(throws: StoreError.enumerating) { try store.undoHistory.redo() }
            #expect(throws: StoreError.enumerating) { try store.close() }
            #expect(throws: StoreError.enumerating) { try store.upgradeAll(of: Song.self) }
        }
        struct GivenUp: Error {}
        #expect(throws: GivenUp.self) { try store.forEach(Song.self) { _ in throw GivenUp() } }
        try store.save()
        try store.undoHistory.undo()
    }

    @Test func deleteAllTakesAllOrNone() throws {
        let store = try filled(3)
        store.insert(Song("new"))
        try store.deleteAll(of: Song.self)
        #expect(try store.objects(of: Song.self).isEmpty)
        #expect(try store.count(of: Song.self) == 0)
        store.rollback()
        #expect(try store.count(of: Song.self) == 3)
        let locked = Playlist("locked")
        locked.isLocked = true
        store.insert(Playlist("open"))
        store.insert(locked)
        store.insert(Playlist("open"))
        #expect(
            throws: StoreError.denied(class: "Playlist", row: locked.rowID, reason: "it is locked")
        ) {
            try store.deleteAll(of: Playlist.self)
        }
        #expect(try store.count(of: Playlist.self) == 3)
    }

    @Test func recordVersionsAreReadWithoutObjects() throws {
        let store = try filled(3)
        var rows: [RowID] = []
        try store.forEachRecordVersion(Song.self) { row, version, bytes in
            rows.append(row)
            #expect(version == 1)
            #expect(bytes == 1 + 4 + 1 + 4)
        }
        #expect(rows.sorted() == [2, 3, 4])
        #expect(try store.metadata(of: Song.self).liveObjects == 0)
    }

    @Test func storesOverOneBackendNeverShareARow() throws {
        let one = try filled(1)
        let two = try open()
        for _ in 0..<300 {
            one.insert(Song("one"))
            two.insert(Song("two"))
        }
        let rows = try (one.objects(of: Song.self) + two.objects(of: Song.self)).map(\.rowID)
        #expect(Set(rows).count == 601)
        try two.save()
        try one.save()
        #expect(try open().count(of: Song.self) == 601)
    }
}
