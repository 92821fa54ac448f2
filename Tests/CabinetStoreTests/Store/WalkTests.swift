import Cabinet
import CabinetMemory
import CabinetTestSupport
import Testing

@testable import CabinetTestModel

/// Walks over more than one run of records, which are fetched ahead.
struct WalkTests {
    /// About five runs.
    private let count = 6000

    private func title(_ number: Int) -> String {
        "\(number) " + String(repeating: "long ", count: 40)
    }

    private func fill(_ store: Store) throws {
        for number in 0..<count { store.insert(Song(title(number), seconds: UInt32(number))) }
        try store.save()
    }

    @Test func everyRecordIsMetOnceWithItsContent() throws {
        let temporary = try TemporaryStore([Song.self, Playlist.self])
        try fill(temporary.store)
        let store = try temporary.reopen()
        var seen = Set<UInt32>()
        try store.forEach(Song.self) { song in
            #expect(song.title == title(Int(song.seconds)))
            #expect(seen.insert(song.seconds).inserted)
        }
        #expect(seen.count == count)
        let songs = try store.objects(of: Song.self)
        #expect(songs.map(\.seconds) == (0..<UInt32(count)).map(\.self))
        #expect(songs.allSatisfy { $0.title == title(Int($0.seconds)) })
    }

    @Test func editsWithinAWalkAreKept() throws {
        let temporary = try TemporaryStore([Song.self, Playlist.self])
        try fill(temporary.store)
        let store = try temporary.reopen()
        var met = 0
        try store.forEach(Song.self) { song in
            met += 1
            if song.seconds % 7 == 0 { song.title = "changed" }
            if song.seconds % 11 == 0 { store.insert(Song("new")) }
            // Others are looked up and walked over meanwhile.
            if song.seconds == 4000 {
                #expect(try store.object(Song.self, rowID: 2)?.seconds == 0)
                var inner = 0
                try store.forEach(Song.self) { _ in inner += 1 }
                #expect(inner > count)
            }
        }
        #expect(met == count)
        try store.save()
        let titles = try temporary.reopen().objects(of: Song.self).map(\.title)
        #expect(titles.count { $0 == "changed" } == (count + 6) / 7)
        #expect(titles.count { $0 == "new" } == (count + 10) / 11)
    }

    @Test(arguments: 0..<6)
    func aRunThatCannotBeReadEndsTheWalkWithItsError(_ runs: Int) throws {
        let backend = FaultyBackend()
        try fill(try Store(backend: backend, classes: [Song.self]))
        let store = try Store(backend: backend, classes: [Song.self])
        backend.order { $0.runsLeft = runs }
        #expect(throws: FaultyBackend.failure) { try store.objects(of: Song.self) }
        backend.order { $0.runsLeft = runs }
        var met = 0
        #expect(throws: FaultyBackend.failure) { try store.forEach(Song.self) { _ in met += 1 } }
        #expect(met > 0 || runs == 0)
        #expect(met < count)
        backend.order { $0.runsLeft = nil }
        #expect(try store.objects(of: Song.self).count == count)
    }

    /// The read-ahead thread must release the files when the walk is left.
    @Test func aStoreWhoseWalkWasLeftCanBeOpenedAtOnce() throws {
        struct Enough: Error {}
        let temporary = try TemporaryStore([Song.self, Playlist.self])
        try fill(temporary.store)
        try temporary.close()
        for _ in 0..<50 {
            let store = try Store(directory: temporary.directory, classes: [Song.self])
            var met = 0
            #expect(throws: Enough.self) {
                try store.forEach(Song.self) { _ in
                    met += 1
                    // The fourth run is fetched meanwhile.
                    if met == count / 2 { throw Enough() }
                }
            }
        }
    }

    @Test func aWalkInsideASaveMeetsEverything() throws {
        let store = try Store(inMemory: [Song.self, Curious.self])
        try fill(store)
        let curious = Curious()
        store.insert(curious)
        try store.save()
        #expect(curious.found == count)
    }
}

/// Looks at all songs while it is written.
private final class Curious: StoredObject {
    var found = 0

    override func writeContent(to buffer: DataBuffer) {
        let songs = try? store?.objects(of: Song.self)
        found = songs?.count ?? 0
        buffer.writeInt(found)
    }

    override func readContent(from buffer: DataBuffer) throws { found = try buffer.readInt() }
}
