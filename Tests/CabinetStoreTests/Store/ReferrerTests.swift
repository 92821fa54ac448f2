import Cabinet
import CabinetMemory
import Testing

@testable import CabinetTestModel

/// A song of a program that does not track the referrers of its songs.
class PlainSong: StoredObject {
    override class var storageName: String { "Song" }
    override func writeContent(to buffer: DataBuffer) {
        buffer.writeString("")
        buffer.writeUInt32(0)
    }
    override func readContent(from buffer: DataBuffer) throws {
        _ = try buffer.readString()
        _ = try buffer.readUInt32()
    }
}

final class PlainList: StoredObject {
    var songs: [PlainSong] = [] { willSet { willChange() } }
    override class var storageName: String { "Playlist" }
    override func writeContent(to buffer: DataBuffer) {
        buffer.writeString("")
        buffer.writeReferences(songs)
    }
    override func readContent(from buffer: DataBuffer) throws {
        _ = try buffer.readString()
        songs = try buffer.readReferences()
    }
}

struct ReferrerTests {
    let backend = FaultyBackend()

    func open() throws -> Store {
        try Store(backend: backend, classes: [Song.self, Playlist.self, Node.self, Person.self])
    }

    func rows(_ store: Store, of object: StoredObject) throws -> [String] {
        try store.referrers(of: object).map { "\(type(of: $0)) \($0.rowID)" }
    }

    /// Songs track their referrers, nodes do not: both must give the same.
    @Test func referrersAreFoundWithAndWithoutTheTable() throws {
        let store = try open()
        let song = Song("x")
        let node = Node("x")
        for object in [song, node] { store.insert(object) }
        let list = Playlist("a", [song, song])
        let other = Playlist("b")
        let parent = Node("parent", [node, node])
        let ann = Person("Ann", things: [song, node])
        for object in [list, other, parent, ann] { store.insert(object) }
        func check(_ songs: [String], _ nodes: [String]) throws {
            #expect(try rows(store, of: song) == songs)
            #expect(try rows(store, of: node) == nodes)
        }
        try check(["Playlist 2", "Person 2"], ["Node 3", "Person 2"])
        try store.save()
        try check(["Playlist 2", "Person 2"], ["Node 3", "Person 2"])
        list.songs = []
        other.songs = [song]
        parent.children = []
        try check(["Playlist 3", "Person 2"], ["Person 2"])
        try store.delete(ann)
        try check(["Playlist 3"], [])
        store.rollback()
        try check(["Playlist 2", "Person 2"], ["Node 3", "Person 2"])
        list.songs = []
        parent.children = []
        try store.save()
        try check(["Person 2"], ["Person 2"])
        let again = try open()
        let found = try #require(try again.object(Song.self, rowID: 2))
        let owner = try #require(try again.referrers(of: found).first as? Person)
        #expect(owner.things.first === found)
        try again.delete(owner)
        try again.save()
        #expect(try again.referrers(of: found).isEmpty)
        #expect(throws: StoreError.notInStore(class: "Song")) { try store.referrers(of: Song()) }
    }

    @Test func anObjectMayReferToItself() throws {
        let store = try open()
        let node = Node("self")
        node.children = [node]
        store.insert(node)
        #expect(try rows(store, of: node) == ["Node 2"])
        try store.save()
        #expect(try rows(store, of: node) == ["Node 2"])
    }

    @Test func aClassThatBeginsToTrackIsEnteredByTheNextSave() throws {
        do {
            let store = try Store(backend: backend, classes: [PlainSong.self, PlainList.self])
            let songs = [PlainSong(), PlainSong()]
            songs.forEach(store.insert)
            let list = PlainList()
            list.songs = songs
            store.insert(list)
            try store.save()
            #expect(try backend.table("Store.referrers") == nil)
        }
        let store = try open()
        let song = try #require(try store.object(Song.self, rowID: 2))
        #expect(try rows(store, of: song) == ["Playlist 2"])
        store.insert(Node("any save"))
        try store.save()
        let table = try #require(try backend.table("Store.referrers"))
        #expect(try backend.count(of: table) == 4, "two references, each from both ends")
        #expect(try rows(store, of: song) == ["Playlist 2"])
        let again = try open()
        try again.delete(try #require(try again.object(Song.self, rowID: 2)))
        try again.save()
        #expect(try again.object(Playlist.self, rowID: 2)?.songs.map(\.rowID) == [3])
        #expect(try backend.count(of: table) == 2)
    }

    /// The table was taken for complete, though it had not been kept meanwhile.
    @Test func aProgramThatDoesNotTrackSaysSo() throws {
        do {
            let store = try open()
            store.insert(Song("1"))
            store.insert(Song("2"))
            store.insert(Playlist("List"))
            try store.save()
        }
        do {
            let store = try Store(backend: backend, classes: [PlainSong.self, PlainList.self])
            let list = try #require(try store.object(PlainList.self, rowID: 2))
            list.songs = try store.objects(of: PlainSong.self)
            try store.save()
        }
        let store = try open()
        let song = try #require(try store.object(Song.self, rowID: 3))
        #expect(try rows(store, of: song) == ["Playlist 2"])
        store.insert(Song("3"))
        try store.save()
        #expect(try rows(store, of: song) == ["Playlist 2"])
    }

    @Test func aFailedSaveLeavesTheTableAsItWas() throws {
        let store = try open()
        let song = Song("x")
        store.insert(song)
        let list = Playlist("a", [song])
        store.insert(list)
        backend.order { $0.commitFails = true }
        #expect(throws: FaultyBackend.failure) { try store.save() }
        #expect(try rows(store, of: song) == ["Playlist 2"])
        backend.order { $0.commitFails = false }
        try store.save()
        list.songs = []
        backend.order { $0.commitFails = true }
        #expect(throws: FaultyBackend.failure) { try store.save() }
        #expect(try rows(store, of: song) == [])
        store.rollback()
        #expect(try rows(store, of: song) == ["Playlist 2"])
    }

    @Test func twoStoresKeepOneTable() throws {
        let one = try open()
        let two = try open()
        let song = Song("x")
        one.insert(song)
        one.insert(Playlist("a", [song]))
        one.insert(Node("n"))
        one.insert(Person("p"))
        try one.save()
        let other = Song("y")
        two.insert(other)
        // The classes were new when both were opened, and have the same tables.
        try two.save()
        let three = try open()
        let third = try #require(try three.object(Song.self, rowID: 2))
        three.insert(Playlist("b", [third]))
        try three.save()
        #expect(try rows(one, of: song) == ["Playlist 2", "Playlist 258"])
    }

    @Test func ownersThatCannotBeReadAreLeftOutAndTold() throws {
        let messages = Messages()
        let store = try open()
        let node = Node("x")
        store.insert(node)
        store.insert(Node("damaged", [node]))
        store.insert(Node("whole", [node]))
        try store.save()
        try backend.put([1, 2], at: 3, of: "Node")
        let again = try Store(
            backend: backend, classes: [Node.self, Playlist.self], log: messages.sink)
        let found = try #require(try again.object(Node.self, rowID: 2))
        #expect(try rows(again, of: found) == ["Node 4"])
        #expect(messages.all.contains { $0.hasPrefix("warning: Left out as a referrer: Node 3") })
        backend.order { $0.readsFail = true }
        #expect(throws: FaultyBackend.failure) { try again.referrers(of: found) }
    }
}
