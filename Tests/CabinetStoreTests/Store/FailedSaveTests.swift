import Cabinet
import CabinetMemory
import Testing

@testable import CabinetTestModel

struct FailedSaveTests {
    let backend = FaultyBackend()

    func open() throws -> Store {
        try Store(backend: backend, classes: [Song.self, Playlist.self, Blob.self])
    }

    /// A store with a saved list of two songs, and an insert, an edit, a delete and a name pending.
    func pending() throws -> (Store, [Song], Playlist) {
        let store = try open()
        store.undoHistory.isEnabled = true
        let songs = [Song("1"), Song("2")]
        songs.forEach(store.insert)
        let list = Playlist("List", songs)
        store.insert(list)
        try store.save()
        let new = Song("3")
        store.insert(new)
        list.songs.append(new)
        try store.delete(songs[0])
        let buffer = DataBuffer()
        buffer.writeInt(5)
        store.namedBuffers["Five"] = buffer
        return (store, songs + [new], list)
    }

    func check(_ store: Store, _ songs: [Song], _ list: Playlist) throws {
        #expect(store.hasChanges)
        #expect(songs[2].isInserted)
        #expect(songs[0].isDeleted)
        #expect(list.isChanged)
        #expect(try store.count(of: Song.self) == 2)
        #expect(list.songs.map(\.title) == ["2", "3"])
        let other = try open()
        #expect(try other.objects(of: Song.self).map(\.title) == ["1", "2"])
        #expect(try other.objects(of: Playlist.self)[0].songs.map(\.title) == ["1", "2"])
        #expect(other.namedBuffers["Five"] == nil)

        try store.save()
        #expect(!store.hasChanges)
        let again = try open()
        #expect(try again.objects(of: Song.self).map(\.title) == ["2", "3"])
        #expect(try again.objects(of: Playlist.self)[0].songs.map(\.title) == ["2", "3"])
        #expect(try again.namedBuffers["Five"]?.readInt() == 5)
        #expect(backend.order { $0.unended.isEmpty }, "an end to each batch")
        #expect(backend.order { $0.endedTwice } == 0)
    }

    @Test func afterACommitThatFailsEverythingIsPending() throws {
        let (store, songs, list) = try pending()
        backend.order { $0.commitFails = true }
        #expect(throws: FaultyBackend.failure) { try store.save() }
        #expect(throws: FaultyBackend.failure) { try store.save() }
        backend.order { $0.commitFails = false }
        try check(store, songs, list)
    }

    @Test func afterAChunkThatCannotBeStagedEverythingIsPending() throws {
        // A batch knows where its chunks go from its making on, and serves more than one save.
        backend.order { $0.stagingFails = true }
        let (store, songs, list) = try pending()
        let blob = Blob()
        blob.bytes = [UInt8](repeating: 1, count: 17 << 20)
        store.insert(blob)
        #expect(throws: FaultyBackend.failure) { try store.save() }
        backend.order { $0.stagingFails = false }
        try check(store, songs, list)
        try store.rollback(blob)
        #expect(blob.bytes.count == 17 << 20)
    }

    @Test func afterAnObjectThatCannotBeWrittenEverythingIsPending() throws {
        let (store, songs, list) = try pending()
        let blob = Blob()
        blob.isUnwritable = true
        store.insert(blob)
        let error = #expect(throws: StoreError.self) { try store.save() }
        guard case .cannotWrite("Blob", 2, .coding("Unwritable", _))? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        try store.delete(blob)
        try check(store, songs, list)
    }

    @Test func afterANameThatCannotBeWrittenEverythingIsPending() throws {
        let (store, songs, list) = try pending()
        let buffer = DataBuffer()
        buffer.writeReference(Song("nowhere"))
        store.namedBuffers["Bad"] = buffer
        #expect(throws: StoreError.notInserted(class: "Song")) { try store.save() }
        #expect(store.namedBuffers["Bad"]?.writeError as? StoreError == .notInserted(class: "Song"))
        store.namedBuffers["Bad"] = nil
        try check(store, songs, list)
    }

    @Test func aReadOnlyStoreSaysSo() throws {
        let backend = MemoryBackend(access: .readOnly)
        let store = try Store(backend: backend, classes: [Song.self, Playlist.self])
        #expect(try store.count(of: Song.self) == 0)
        try store.save()
        store.namedBuffers["x"] = DataBuffer()
        #expect(throws: BackendError.readOnly(path: "memory")) { try store.save() }
        store.rollback()
        store.insert(Song("x"))
        #expect(throws: BackendError.readOnly(path: "memory")) { try store.save() }
        #expect(throws: BackendError.readOnly(path: "memory")) { try store.upgradeAll() }
    }

    @Test func rowsThatRunOutAreUsedToTheLast() throws {
        backend.order { $0.rowsLeft = 258 }
        let store = try open()
        for index in 0..<258 { store.insert(Song("\(index)")) }
        try store.save()
        let left = Song("left")
        store.insert(left)
        #expect(left.store == nil)
        #expect(left.rowID == 0)
        #expect(throws: BackendError.rowsExhausted(2)) { try store.save() }
        store.insert(Playlist("none either"))
        #expect(throws: BackendError.rowsExhausted(2)) { try store.save() }
        store.rollback()
        try store.save()
        #expect(try store.count(of: Song.self) == 258)
    }

    @Test func whatCannotBeInsertedStaysOutsideUntilARollback() throws {
        let store = try open()
        let other = try Store(inMemory: [Song.self])
        let foreign = Song("foreign")
        other.insert(foreign)
        for (object, expected) in [
            (Node("x"), StoreError.classNotRegistered("Node")),
            (foreign, StoreError.wrongStore(class: "Song")),
        ] {
            store.insert(object)
            #expect(object.store !== store)
            #expect(throws: expected) { try store.save() }
            #expect(throws: expected) { try store.save() }
            store.rollback()
            try store.save()
        }
        #expect(foreign.store === other)
        #expect(throws: StoreError.wrongStore(class: "Song")) { try store.delete(foreign) }
        #expect(throws: StoreError.notInStore(class: "Song")) { try store.delete(Song()) }
        #expect(throws: StoreError.wrongStore(class: "Song")) { try store.referrers(of: foreign) }
    }

    @Test func anObjectInsertedByAWriterIsInTheSameSave() throws {
        let store = try open()
        let blob = Blob()
        let song = Song("made while writing")
        store.insert(blob)
        blob.onWrite = { [unowned store] in
            store.insert(song)
            #expect(throws: StoreError.stepUnderWay) { try store.save() }
            #expect(throws: StoreError.stepUnderWay) { try store.close() }
        }
        try store.save()
        #expect(!store.hasChanges)
        #expect(try open().objects(of: Song.self).map(\.title) == ["made while writing"])
    }
}

/// Holds any bytes, and runs a closure when it is written.
final class Blob: StoredObject {
    var bytes: [UInt8] = [] { willSet { willChange() } }
    var isUnwritable = false
    var onWrite: (() -> Void)?

    override func writeContent(to buffer: DataBuffer) {
        onWrite?()
        buffer.writeBytes(bytes)
        if isUnwritable { buffer.writeCodable(Unwritable()) }
    }

    override func readContent(from buffer: DataBuffer) throws { bytes = try buffer.readBytes() }

    struct Unwritable: Encodable {
        func encode(to encoder: any Encoder) throws {
            throw DataBufferError.coding(type: "Unwritable", reason: "no")
        }
    }
}
