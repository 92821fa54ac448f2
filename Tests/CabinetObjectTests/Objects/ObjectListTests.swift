import Cabinet
import CabinetMemory
import Testing
import TrustSupport

@testable import CabinetTestModel

struct ObjectListTests {
    let backend = MemoryBackend()

    func open() throws -> Store {
        try Store(backend: backend, classes: [Song.self, Queue.self])
    }

    /// A queue of `count` songs in a store that was reopened, so that none of them is in memory.
    /// The songs have the rows from 2 on, the queue row 2.
    func reopened(_ count: Int) throws -> (store: Store, queue: Queue) {
        let before = try open()
        let songs = (0..<count).map { Song("\($0)", seconds: UInt32($0)) }
        for song in songs { before.insert(song) }
        before.insert(Queue("Queue", songs))
        try before.save()
        let store = try open()
        return (store, try #require(try store.object(Queue.self, rowID: 2)))
    }

    /// What an array of the songs in `rows` is written as.
    func record(_ title: String, _ rows: [RowID]) -> [UInt8] {
        var bytes: [UInt8] = [1] + title.counted
        for number in [UInt32(rows.count)] + rows.map(\.rawValue) {
            bytes += withUnsafeBytes(of: number.littleEndian) { [UInt8]($0) }
        }
        return bytes
    }

    func live(_ store: Store) throws -> Int { try store.metadata(of: Song.self).liveObjects }

    @Test func onlyWhatIsTouchedIsMade() throws {
        let (store, queue) = try reopened(5)
        #expect(queue.songs.count == 5)
        #expect(try live(store) == 0)
        #expect(queue.songs[3].title == "3")
        #expect(try live(store) == 1)
        #expect(queue.songs.first?.title == "0")
        #expect(queue.songs[3] === queue.songs[3])
        #expect(try live(store) == 2)
        #expect(queue.songs.map(\.title) == ["0", "1", "2", "3", "4"])
        #expect(try live(store) == 5)
    }

    @Test func twoListsHoldTheSameObjects() throws {
        let (store, queue) = try reopened(3)
        let kept = try #require(try store.object(Song.self, rowID: 4))
        #expect(queue.songs[2] === kept)
        let copy = queue.songs
        #expect(copy[0] === queue.songs[0])
        let other = Queue("Other")
        store.insert(other)
        other.songs = copy
        other.songs.append(contentsOf: copy)
        #expect(try live(store) == 2)
        #expect(other.songs[1] === queue.songs[1])
        #expect(other.songs[4] === queue.songs[1])
    }

    @Test func theBytesAreThoseOfAnArrayAndUntouchedRowsAreNotMadeToWriteThem() throws {
        let (store, queue) = try reopened(4)
        #expect(try backend.record(2, of: "Queue") == record("Queue", [2, 3, 4, 5]))
        queue.title = "Again"
        queue.songs.swapAt(0, 3)
        try store.save()
        #expect(try live(store) == 0)
        #expect(try backend.record(2, of: "Queue") == record("Again", [5, 3, 4, 2]))
    }

    @Test func aChangeIsSeenByNoCopy() throws {
        let (store, queue) = try reopened(3)
        defer { withExtendedLifetime(store) {} }
        var copy = queue.songs
        copy.remove(at: 0)
        copy.append(Song("new"))
        copy[0] = copy[1]
        #expect(queue.songs.map(\.title) == ["0", "1", "2"])
        #expect(copy.map(\.title) == ["2", "2", "new"])
    }

    /// The same edits of a list and of an array, with elements read in between.
    @Test(arguments: 0..<20)
    func itIsEditedAsAnArrayIs(_ seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let (store, queue) = try reopened(Int.random(in: 0...12, using: &random))
        var model: [Song] = []
        var list = queue.songs
        for row in 0..<list.count {
            let song = try store.object(Song.self, rowID: .first.advanced(by: row))
            model.append(try #require(song))
        }
        for _ in 0..<60 {
            let one = Int.random(in: 0...list.count, using: &random)
            let other = Int.random(in: one...list.count, using: &random)
            switch Int.random(in: 0..<7, using: &random) {
            case 0:
                let song = Song("appended")
                list.append(song)
                model.append(song)
            case 1:
                list.removeSubrange(one..<other)
                model.removeSubrange(one..<other)
            case 2 where one < other:
                list.swapAt(one, other - 1)
                model.swapAt(one, other - 1)
            case 3 where list.count < 40:
                list.insert(contentsOf: list, at: one)
                model.insert(contentsOf: model, at: one)
            case 4 where one < other:
                list[one] = list[other - 1]
                model[one] = model[other - 1]
            case 5 where one < other:
                list.replaceSubrange(one..<other, with: queue.songs)
                model.replaceSubrange(one..<other, with: Array(queue.songs))
            case 6 where one < other:
                #expect(list[one] === model[one])
                #expect(list.firstIndex(of: model[one]) == model.firstIndex { $0 === model[one] })
            default: continue
            }
            #expect(list.count == model.count)
        }
        #expect(list.elementsEqual(model, by: ===))
        #expect(!list.contains(Song("stranger")))
    }

    @Test func whatIsDeletedWhileItIsOnlyARowComesAsADeletedObject() throws {
        let (store, queue) = try reopened(3)
        do {
            let doomed = try #require(try store.object(Song.self, rowID: 3))
            try store.delete(doomed)
        }
        queue.title = "Shorter"
        #expect(queue.songs.count == 3, "in memory nobody takes it away")
        try store.save()
        #expect(try backend.record(2, of: "Queue") == record("Shorter", [2, 4]))
        #expect(queue.songs[1].isDeleted)
        #expect(queue.songs[1].rowID == 3)
        #expect(!queue.songs[2].isDeleted)
        try store.rollback(queue)
        #expect(queue.songs.map(\.rowID) == [2, 4])
    }

    @Test func whatIsKnownToBeGoneIsLeftOutWhenRead() throws {
        let (store, queue) = try reopened(3)
        try store.delete(try #require(try store.object(Song.self, rowID: 3)))
        try store.save()
        let deleted = queue.songs[1]
        try store.rollback(queue)
        #expect(queue.songs.map(\.rowID) == [2, 4], "while its object is held")
        withExtendedLifetime(deleted) {}
        try store.rollback(queue)
        #expect(queue.songs.map(\.rowID) == [2, 4])
    }

    @Test func aRowThatNobodyKnewToBeGoneIsAFaultThatFindsOut() throws {
        let (store, queue) = try reopened(2)
        try backend.put(nil, at: 3, of: "Song")
        try store.refresh()
        #expect(queue.songs.count == 2)
        #expect(queue.songs[1].title == "")
        #expect(queue.songs[1].isDeleted)
        queue.title = "Shorter"
        try store.save()
        #expect(try backend.record(2, of: "Queue") == record("Shorter", [2]))
    }

    @Test(arguments: [0, 77, 4_294_967_294, .max] as [RowID])
    func hostileRowsAreNoObjects(_ row: RowID) throws {
        let (store, queue) = try reopened(1)
        try backend.put(record("", [row, 2]), at: 2, of: "Queue")
        try store.refresh()
        #expect(queue.songs.last?.title == "0")
        if queue.songs.count == 2 {
            #expect(queue.songs[0].title == "")
            #expect(queue.songs[0].isDeleted)
        }
        let bytes: [UInt8] = [1, 0, 0, 0, 0, 255, 255, 255, 255, 2, 0, 0, 0]
        try backend.put(bytes, at: 2, of: "Queue")
        try store.refresh()
        #expect(queue.songs.isEmpty)
        let reason = DataBufferError.impossibleCount(count: .max, remaining: 4)
        let expected = StoreError.cannotRead(class: "Queue", row: 2, reason: reason)
        #expect(queue.fetchError as? StoreError == expected)
    }

    @Test func undoBringsBackOrderAndMembers() throws {
        let (store, queue) = try reopened(4)
        store.undoHistory.isEnabled = true
        try store.undoHistory.group {
            queue.songs.remove(at: 1)
            queue.songs.swapAt(0, 2)
            let new = Song("new")
            store.insert(new)
            queue.songs.append(new)
        }
        try store.delete(queue.songs[0])
        try store.save()
        #expect(queue.songs.prefix(3).map(\.rowID) == [5, 4, 2])
        try store.undoHistory.undo()
        #expect(queue.songs.first?.title == "3")
        try store.undoHistory.undo()
        #expect(queue.songs.map(\.title) == ["0", "1", "2", "3"])
        try store.undoHistory.redo()
        #expect(queue.songs.map(\.title) == ["3", "2", "0", "new"])
        try store.save()
        let again = try open()
        let found = try #require(try again.object(Queue.self, rowID: 2))
        #expect(found.songs.map(\.title) == ["3", "2", "0", "new"])
    }

    @Test func rollbackBringsBackTheList() throws {
        let (store, queue) = try reopened(3)
        let new = Song("new")
        store.insert(new)
        queue.songs.append(new)
        let copy = queue.songs
        store.rollback()
        #expect(queue.songs.map(\.title) == ["0", "1", "2"])
        #expect(copy[3] === new)
        #expect(copy[3].title == "new")
        #expect(copy[0] === queue.songs[0])
    }

    @Test func rowsAreReferencesToWhoeverAsks() throws {
        let (store, queue) = try reopened(2)
        queue.songs.swapAt(0, 1)
        try store.save()
        #expect(try live(store) == 0)
        let song = try #require(try store.object(Song.self, rowID: 2))
        #expect(try store.referrers(of: song).map(\.rowID) == [queue.rowID])
        queue.songs.removeLast()
        #expect(try store.referrers(of: song).isEmpty)
        try store.save()
        #expect(try store.referrers(of: song).isEmpty)
    }

    private func refused(_ queue: Queue, _ reason: StoreError) -> StoreError {
        .badReference(class: "Queue", row: queue.rowID, field: "", reason: reason)
    }

    @Test func rowsOfAnotherStoreAreAMistake() throws {
        let (store, queue) = try reopened(2)
        let other = try Store(inMemory: [Song.self, Queue.self])
        let stranger = Queue("Stranger")
        other.insert(stranger)
        stranger.songs = queue.songs
        #expect(throws: refused(stranger, .wrongStore(class: "Song"))) { try other.save() }
        other.rollback()
        let new = Queue("New", [Song("outside")])
        store.insert(new)
        #expect(throws: refused(new, .notInserted(class: "Song"))) { try store.save() }
    }

    @Test func listsOutliveTheirStore() throws {
        var (store, queue): (Store?, Queue) = try reopened(3)
        let first = queue.songs[0]
        #expect(first.title == "0")
        try store?.close()
        #expect(queue.songs[0] === first)
        #expect(first.title == "0")
        #expect(queue.songs[1].title == "")
        #expect(queue.songs[1] === queue.songs[1])
        #expect(queue.songs[1].store == nil)
        store = nil
        #expect(queue.songs[2].rowID == 0)
        queue.dissolveAllRelationships()
        #expect(queue.songs.isEmpty)
    }

    @Test func aListOfAnUnregisteredClassIsNeverDropped() throws {
        _ = try reopened(2)
        let record = try backend.record(2, of: "Queue")
        let store = try Store(backend: backend, classes: [Queue.self])
        #expect(throws: StoreError.classNotRegistered("Song")) {
            try store.object(Queue.self, rowID: 2)
        }
        try store.save()
        #expect(try backend.record(2, of: "Queue") == record)
    }
}
