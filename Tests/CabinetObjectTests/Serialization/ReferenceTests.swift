import Cabinet
import CabinetMemory
import Testing

@testable import CabinetTestModel

struct ReferenceTests {
    let backend = MemoryBackend()

    func open(_ classes: [StoredObject.Type]) throws -> Store {
        try Store(backend: backend, classes: classes)
    }

    @Test func referencesAreTheseBytes() throws {
        let store = try open([Person.self, Song.self])
        let song = Song("x")
        let ann = Person("Ann")
        let bob = Person("Bob", friend: ann, things: [song, ann, song])
        for object in [ann, song, bob] { store.insert(object) }
        try store.save()
        #expect(try store.metadata(of: Person.self).number == 0)
        let head = [7] + "Bob".counted + [UInt8](repeating: 0, count: 8 + 4 + 8 + 4)
        #expect(
            try backend.record(3, of: "Person")
                == head + [2, 0, 0, 0] + [3, 0, 0, 0]
                + [1, 2, 0, 0, 0] + [0, 2, 0, 0, 0] + [1, 2, 0, 0, 0] + [0])
    }

    @Test func referencesOfAnyClassComeBackInOrderWhateverTheOrderOfRegistration() throws {
        do {
            let store = try open([Person.self, Song.self, Node.self])
            let song = Song("song")
            let node = Node("node")
            let ann = Person("Ann")
            for object in [song, node, ann] { store.insert(object) }
            store.insert(Person("Bob", friend: ann, things: [node, song, ann, song, node]))
            try store.save()
        }
        let again = try open([Node.self, Song.self, Person.self])
        let bob = try #require(try again.object(Person.self, rowID: 3))
        #expect(bob.things.count == 5)
        #expect((bob.things[0] as? Node)?.name == "node")
        #expect((bob.things[1] as? Song)?.title == "song")
        #expect(bob.things[2] === bob.friend)
        #expect(bob.things[3] === bob.things[1])
    }

    @Test func whatIsOutOfPlaceIsFoundAtTheSaveAndNothingIsWritten() throws {
        let store = try open([Person.self, Song.self])
        let other = try Store(inMemory: [Person.self, Song.self])
        let stranger = Person("Stranger")
        other.insert(stranger)
        let cases: [(Person, StoreError)] = [
            (Person("A", friend: Person("B")), .notInserted(class: "Person")),
            (Person("A", things: [Song("B")]), .notInserted(class: "Song")),
            (Person("A", things: [Node("B")]), .classNotRegistered("Node")),
            (Person("A", friend: stranger), .wrongStore(class: "Person")),
            (Person("A", things: [stranger]), .wrongStore(class: "Person")),
        ]
        for (person, expected) in cases {
            store.insert(Song("good"))
            store.insert(person)
            let error = #expect(throws: StoreError.self) { try store.save() }
            if case .badReference(let name, let row, let field, let reason) = error {
                #expect(name == "Person" && row == person.rowID && field.isEmpty)
                #expect(reason == expected)
            } else {
                #expect(error == .classNotRegistered("Node") && error == expected)
            }
            #expect(store.hasChanges)
            #expect(try backend.table("Song") == nil, "nothing was written")
            #expect(person.isInserted)
            store.rollback()
        }
    }

    @Test func aSubclassIsNoObjectOfTheNamedClass() throws {
        let store = try open([Album.self, Record.self, LiveRecord.self])
        let live = LiveRecord()
        let album = Album()
        album.record = live
        store.insert(live)
        store.insert(album)
        let expected = StoreError.wrongClass(expected: "Record", found: "LiveRecord")
        let error = StoreError.badReference(
            class: "Album", row: album.rowID, field: "", reason: expected)
        #expect(throws: error) { try store.save() }
        #expect(error.description.contains("any class"))
        album.record = nil
        album.any = live
        try store.save()
        try store.rollback(album)
        #expect(album.any === live)
    }

    /// A list of songs is a list of songs to a program without songs, too.
    @Test func aReferenceIntoAnUnregisteredClassIsNeverDropped() throws {
        do {
            let store = try open([Song.self, Playlist.self, Person.self])
            let song = Song("x")
            store.insert(song)
            store.insert(Playlist("List", [song]))
            store.insert(Playlist("Empty"))
            store.insert(Person("Ann", things: [song]))
            try store.save()
        }
        let list = try backend.record(2, of: "Playlist")
        let person = try backend.record(2, of: "Person")
        let store = try open([Playlist.self, Person.self])
        #expect(throws: StoreError.classNotRegistered("Song")) {
            try store.object(Playlist.self, rowID: 2)
        }
        #expect(throws: StoreError.classNotRegistered("Song")) {
            try store.object(Person.self, rowID: 2)
        }
        #expect(try store.object(Playlist.self, rowID: 3)?.title == "Empty")
        store.insert(Playlist("New"))
        try store.save()
        #expect(try backend.record(2, of: "Playlist") == list)
        #expect(try backend.record(2, of: "Person") == person)
        try store.upgradeAll()
        #expect(try backend.record(2, of: "Playlist") == list)
    }

    @Test func anObjectWithSuchAReferenceCanBeEditedButNotSaved() throws {
        do {
            let store = try open([Song.self, Playlist.self])
            let song = Song("x")
            store.insert(song)
            store.insert(Playlist("List", [song]))
            try store.save()
        }
        let list = try backend.record(2, of: "Playlist")
        let store = try open([Playlist.self])
        let buffer = DataBuffer()
        store.namedBuffers["x"] = buffer
        let fault = try #require(
            try store.namedBuffers["x"].map { names in
                names.writeUInt32(2)
                return try names.readReference(to: Playlist.self)
            } ?? nil)
        #expect(fault.title == "", "the half that was read does not stay")
        #expect(fault.fetchError as? StoreError == .classNotRegistered("Song"))
        fault.title = "Edited"
        #expect(throws: StoreError.contentNotRead(class: "Playlist", row: 2)) { try store.save() }
        store.rollback()
        try store.save()
        #expect(try backend.record(2, of: "Playlist") == list)
    }

    @Test func deletedTargetsAreLeftOutWhenWritten() throws {
        let store = try open([Person.self, Node.self])
        let ann = Person("Ann")
        let eve = Person("Eve")
        let bob = Person("Bob", friend: eve, things: [eve, ann, eve])
        for person in [ann, eve, bob] { store.insert(person) }
        try store.save()
        try store.delete(eve)
        bob.values.stars = 1
        #expect(bob.friend === eve, "in memory nobody takes it away")
        try store.save()
        try store.rollback(bob)
        #expect(bob.friend == nil)
        #expect(bob.things.map(\.rowID) == [ann.rowID])
        let head = [7] + "Bob".counted + [UInt8](repeating: 0, count: 8 + 4 + 8 + 4)
        #expect(
            try backend.record(4, of: "Person")
                == head + [0, 0, 0, 0] + [1, 0, 0, 0] + [0, 2, 0, 0, 0] + [1])
    }

    @Test(arguments: [0, 1, 77, 4_294_967_294, .max] as [RowID])
    func hostileRowsAreNoObjects(_ row: RowID) throws {
        let store = try open([Person.self])
        let ann = Person("Ann")
        store.insert(ann)
        try store.save()
        let bytes = withUnsafeBytes(of: row.rawValue.littleEndian) { [UInt8]($0) }
        let head = [7] + "Ann".counted + [UInt8](repeating: 0, count: 8 + 4 + 8 + 4)
        try backend.put(
            head + bytes + [2, 0, 0, 0] + [0] + bytes + [0, 2, 0, 0, 0] + [3], at: 2, of: "Person")
        try store.rollback(ann)
        #expect(ann.values.stars == 3)
        #expect(ann.things.last === ann)
        #expect(ann.friend?.values.name ?? "" == "")
        if let friend = ann.friend { #expect(friend.isDeleted) }
        let number: [UInt8] = head + [0, 0, 0, 0] + [1, 0, 0, 0] + [200] + bytes + [0]
        try backend.put(number, at: 2, of: "Person")
        try store.rollback(ann)
        _ = ann.friend
        #expect(row == 0 || ann.fetchError as? StoreError == .classNotRegistered("number 200"))
        if row == 0 { try ann.load() }
    }

    @Test func readsThatFailDoNotMove() throws {
        let store = try open([Person.self])
        let buffer = DataBuffer()
        buffer.writeUInt32(3)
        #expect(throws: StoreError.closed) { try buffer.readReference(to: Person.self) }
        store.namedBuffers["x"] = buffer
        let read = try #require(store.namedBuffers["x"])
        #expect(throws: DataBufferError.impossibleCount(count: 3, remaining: 0)) {
            try read.readReferences(to: Person.self)
        }
        #expect(read.position == 0)
        #expect(throws: DataBufferError.self) { try read.readAnyReferences() }
        #expect(throws: DataBufferError.truncated(needed: 4, remaining: 3)) {
            try read.readAnyReference()
        }
        #expect(read.position == 0)
        #expect(throws: StoreError.classNotRegistered("Song")) {
            try read.readReference(to: Song.self)
        }
        #expect(read.position == 0)
        #expect(try read.readReference(to: Person.self)?.rowID == 3)
    }

    @Test func anEmptiedBufferBelongsToNoStore() throws {
        let one = try Store(inMemory: [Song.self])
        let two = try Store(inMemory: [Song.self])
        let (first, second) = (Song("1"), Song("2"))
        one.insert(first)
        two.insert(second)
        let buffer = DataBuffer()
        buffer.writeInt(1)
        one.namedBuffers["plain"] = buffer
        two.namedBuffers["plain"] = buffer
        buffer.writeReference(first)
        one.namedBuffers["reference"] = buffer
        two.namedBuffers["reference"] = buffer
        try one.save()
        #expect(throws: StoreError.wrongStore(class: "NamedBuffers")) { try two.save() }
        two.rollback()
        buffer.removeAll()
        two.insert(second)
        buffer.writeReference(second)
        two.namedBuffers["reference"] = buffer
        try two.save()
        #expect(try two.namedBuffers["reference"]?.readReference(to: Song.self) === second)
    }
}

class Record: StoredObject {}
final class LiveRecord: Record {}

final class Album: StoredObject {
    private var storedRecord: Record?
    private var storedAny: StoredObject?

    var record: Record? {
        get {
            willRead()
            return storedRecord
        }
        set {
            willChange()
            storedRecord = newValue
        }
    }
    var any: StoredObject? {
        get {
            willRead()
            return storedAny
        }
        set {
            willChange()
            storedAny = newValue
        }
    }

    override func writeContent(to buffer: DataBuffer) {
        buffer.writeReference(storedRecord)
        buffer.writeAnyReference(storedAny)
    }

    override func readContent(from buffer: DataBuffer) throws {
        storedRecord = try buffer.readReference()
        storedAny = try buffer.readAnyReference()
    }
}
