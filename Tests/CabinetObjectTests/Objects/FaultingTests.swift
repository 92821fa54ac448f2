import Cabinet
import CabinetMemory
import Testing

@testable import CabinetTestModel

struct FaultingTests {
    let backend = FaultyBackend()
    let messages = Messages()

    func open(_ classes: [StoredObject.Type] = [Song.self, Playlist.self]) throws -> Store {
        try Store(backend: backend, classes: classes, log: messages.sink)
    }

    /// A store of one list with three songs, in rows 2 to 4.
    func fill() throws {
        let store = try open()
        let songs = (1...3).map { Song("Song \($0)", seconds: UInt32($0)) }
        songs.forEach(store.insert)
        store.insert(Playlist("List", songs))
        try store.save()
    }

    func list(in store: Store) throws -> Playlist {
        try #require(try store.object(Playlist.self, rowID: 2))
    }

    @Test func aReferenceIsAFaultUntilItIsTouched() throws {
        try fill()
        let song = try list(in: try open()).songs[1]
        #expect(song.store == nil, "its store is gone")
        let store = try open()
        let again = try list(in: store).songs[1]
        #expect(again.isFault)
        #expect(again.rowID == 3)
        #expect(again.title == "Song 2")
        #expect(!again.isFault)
        #expect(again.fetchError == nil)
        #expect(!store.hasChanges)
    }

    @Test func aRowThatIsGoneIsFoundOutByTouchAndToldOnce() throws {
        try fill()
        let store = try open()
        let delegate = Listener()
        store.delegate = delegate
        let list = try list(in: store)
        try backend.put(nil, at: 3, of: "Song")
        let song = list.songs[1]
        #expect(!song.isDeleted)
        #expect(song.title == "")
        #expect(song.isDeleted)
        #expect(song.fetchError as? StoreError == .rowGone(class: "Song", row: 3))
        #expect(throws: StoreError.rowGone(class: "Song", row: 3)) { try song.load() }
        _ = song.title
        song.title = "harmless"
        #expect(!store.hasChanges)
        #expect(messages.all == ["warning: Song 3 is gone."])
        #expect(delegate.calls == ["failed Song 3"])
        #expect(try store.object(Song.self, rowID: 3) == nil)
        #expect(list.songs.count == 3, "nobody rewrites what is in memory")

        let before = try backend.record(2, of: "Playlist")
        list.title = "Written"
        try store.save()
        #expect(try backend.record(2, of: "Playlist") != before)
        #expect(
            try backend.record(2, of: "Playlist")
                == [1] + "Written".counted + [2, 0, 0, 0, 2, 0, 0, 0, 4, 0, 0, 0])
    }

    @Test func rowsKnownToBeGoneAreLeftOutInOrder() throws {
        try fill()
        let store = try open()
        do {
            let song = try #require(try store.object(Song.self, rowID: 3))
            try backend.put(nil, at: 3, of: "Song")
            try store.rollback(song)
            #expect(song.title == "")
            #expect(song.isDeleted)
        }
        let list = try list(in: store)
        #expect(list.songs.map(\.rowID) == [2, 4])
        #expect(!store.hasChanges)
        #expect(try backend.record(2, of: "Playlist")?.count == 25, "the record is as it was")
    }

    @Test(arguments: [
        ([UInt8](), DataBufferError.truncated(needed: 1, remaining: 0)),
        ([1, 4, 0, 0], .truncated(needed: 4, remaining: 3)),
        ([1, 4, 0, 0, 0, 65], .truncated(needed: 8, remaining: 5)),
        ([1, 1, 0, 0, 0, 0xFF, 0, 0, 0, 0], .invalidUTF8(offset: 4)),
        ([1, 1, 0, 0, 0, 65, 9], .truncated(needed: 4, remaining: 1)),
    ])
    func aDamagedRecordGivesANewObjectsContentAndItsReason(
        _ bytes: [UInt8], _ reason: DataBufferError
    ) throws {
        try fill()
        try backend.put(bytes, at: 3, of: "Song")
        let store = try open()
        let song = try list(in: store).songs[1]
        let expected = StoreError.cannotRead(class: "Song", row: 3, reason: reason)
        #expect(song.title == "")
        #expect(song.seconds == 0)
        #expect(song.fetchError as? StoreError == expected)
        #expect(!song.isDeleted)
        #expect(throws: expected) { try song.load() }
        #expect(throws: expected) { try store.objects(of: Song.self) }
        #expect(throws: expected) { try store.object(Song.self, rowID: 3) }
        #expect(throws: expected) { try store.forEach(Song.self) { _ in } }

        song.title = "Never"
        #expect(store.hasChanges)
        #expect(throws: StoreError.contentNotRead(class: "Song", row: 3)) { try store.save() }
        #expect(try backend.record(3, of: "Song") == bytes)
        try store.rollback(song)
        #expect(!store.hasChanges)
        try backend.put([1] + "Mended".counted + [0, 0, 0, 0], at: 3, of: "Song")
        #expect(song.title == "Mended")
        #expect(song.fetchError == nil)
    }

    @Test func anImpossibleCountIsNoAllocation() throws {
        try fill()
        try backend.put([1, 0, 0, 0, 0, 255, 255, 255, 255, 1], at: 2, of: "Playlist")
        let store = try open()
        #expect(
            throws: StoreError.cannotRead(
                class: "Playlist", row: 2,
                reason: .impossibleCount(count: .max, remaining: 1))
        ) { try store.object(Playlist.self, rowID: 2) }
    }

    @Test func aNewerVersionIsNotRead() throws {
        try fill()
        try backend.put([9] + "x".counted + [0, 0, 0, 0], at: 2, of: "Song")
        let store = try open()
        let expected = StoreError.newerVersion(class: "Song", row: 2, found: 9, known: 1)
        #expect(throws: expected) { try store.object(Song.self, rowID: 2) }
        #expect(expected.description.contains("newer program"))
    }

    @Test func bytesLeftOverAreAllowed() throws {
        try fill()
        try backend.put([1] + "x".counted + [7, 0, 0, 0, 1, 2, 3], at: 2, of: "Song")
        #expect(try open().object(Song.self, rowID: 2)?.seconds == 7)
    }

    @Test func aReaderThatThrowsLeavesANewObjectsContent() throws {
        let store = try open([Memo.self])
        let memo = Memo()
        memo.title = "refuse"
        memo.body = "body"
        store.insert(memo)
        try store.save()
        try store.rollback(memo)
        #expect(memo.body == "", "not what it had, nor the half that was read")
        #expect(memo.title == "")
        guard case .refusedByClass("Memo", 2, _)? = memo.fetchError as? StoreError else {
            Issue.record("\(String(describing: memo.fetchError))")
            return
        }
        memo.title = "edited"
        #expect(throws: StoreError.contentNotRead(class: "Memo", row: 2)) { try store.save() }
        store.rollback()
        #expect(!store.hasChanges)
    }

    @Test func troubleOfTheBackendPasses() throws {
        try fill()
        let store = try open()
        let song = try list(in: store).songs[0]
        backend.order { $0.readsFail = true }
        #expect(song.title == "")
        #expect(song.fetchError as? BackendError == FaultyBackend.failure)
        #expect(throws: FaultyBackend.failure) { try song.load() }
        backend.order { $0.readsFail = false }
        try song.load()
        #expect(song.title == "Song 1")
        #expect(song.fetchError == nil)
        try song.load()
        try Song().load()
    }

    @Test func refreshDropsEditsAndBringsBackTheDeleted() throws {
        try fill()
        let store = try open()
        let song = try #require(try store.object(Song.self, rowID: 2))
        song.title = "Edited"
        try store.rollback(song)
        #expect(song.isFault)
        #expect(!store.hasChanges)
        #expect(song.title == "Song 1")
        try store.delete(song)
        try store.rollback(song)
        #expect(!song.isDeleted)
        #expect(try store.count(of: Song.self) == 3)
        let new = Song("New")
        store.insert(new)
        try store.rollback(new)
        #expect(new.title == "New")
        #expect(new.isInserted)
        #expect(throws: StoreError.notInStore(class: "Song")) { try store.rollback(Song()) }
    }

    /// A row that turned out to be gone while its delete was pending was still counted as a delete.
    @Test func aPendingDeleteOfAGoneRowCountsForNothing() throws {
        try fill()
        let store = try open()
        let list = try list(in: store)
        list.songs = [list.songs[1]]
        let lists = try store.count(of: Playlist.self)
        try store.delete(list)
        try backend.put(nil, at: 2, of: "Playlist")
        try store.rollback(list)
        try store.delete(list)
        _ = list.title
        #expect(list.isDeleted)
        #expect(try store.count(of: Playlist.self) == lists - 1)
        #expect(!store.hasChanges)
    }

    /// What it asked was read as an image is, with references to the deleted.
    @Test func anObjectMayAskOthersWhileItIsWritten() throws {
        let store = try open([Song.self, Playlist.self, Digest.self])
        store.undoHistory.isEnabled = true
        let songs = [Song("1"), Song("2")]
        songs.forEach(store.insert)
        let list = Playlist("List", songs)
        store.insert(list)
        let digest = Digest()
        digest.list = list
        store.insert(digest)
        try store.save()
        let record = try backend.record(2, of: "Playlist")
        try store.delete(songs[0])
        try store.save()
        try backend.put(record, at: 2, of: "Playlist")
        try store.rollback(list)
        digest.list = list
        #expect(list.songs.map(\.title) == ["2"])
    }

    @Test func aNewObjectsContentIsWhatItsInitialiserMakes() throws {
        let store = try open([Furnished.self])
        let object = Furnished()
        object.tags = ["x"]
        store.insert(object)
        try store.save()
        try backend.put([1, 1, 0, 0, 0], at: 2, of: "Furnished")
        try store.rollback(object)
        #expect(object.tags == ["new"])
        #expect(object.fetchError != nil)
        store.rollback()
        try store.delete(object)
        try store.save()
        #expect(try store.count(of: Furnished.self) == 0)
    }
}
