import CabinetMemory
import Testing

@testable import Cabinet
@testable import CabinetTestModel

struct PrefetchTests {
    let backend = FaultyBackend()
    let messages = Messages()
    let classes: [StoredObject.Type] = tunes + [Song.self, Playlist.self, Queue.self]

    func open() throws -> Store {
        try Store(backend: backend, classes: classes, log: messages.sink)
    }

    /// Saves `count` tunes in rows from 2 on, each on an album of its own, in lists of ten; and as
    /// many hand-written songs and playlists.
    func fill(_ count: Int) throws {
        let store = try open()
        for start in stride(from: 0, to: count, by: 10) {
            let list = TuneList()
            let songs = Playlist("\(start)")
            store.insert(list)
            for number in start..<min(start + 10, count) {
                let tune = Tune("Tune \(number)")
                store.insert(tune)
                tune.album = Disc()
                list.tunes.append(tune)
                let song = Song("Song \(number)")
                store.insert(song)
                songs.songs.append(song)
            }
            store.insert(songs)
        }
        try store.save()
    }

    func report(_ name: String, in store: Store) throws -> DebugReport.ClassReport {
        try #require(store.debugReport.classes.first { $0.storageName == name })
    }

    @Test func aRelationshipIsReadAheadInOnePass() throws {
        try fill(35)
        let store = try open()
        let lists = try store.objects(of: TuneList.self)
        #expect(lists[0].tunes[0].isFault)
        let found = try store.prefetch(\TuneList.tunes, of: lists)
        #expect(found.map(\.rowID) == Array(2..<37))
        #expect(found.allSatisfy { !$0.isFault })
        // Whatever is not in memory cannot be read now.
        backend.order { $0.readsFail = true }
        #expect(lists[3].tunes.map(\.title) == (30..<35).map { "Tune \($0)" })
        #expect(found.allSatisfy { $0.fetchError == nil })
        let tune = try report("Tune", in: store)
        #expect(tune.recordsPrefetched == 35 && tune.faultsRead == 0)
    }

    @Test func ownersThatAreFaultsAreReadFirstAndResultsLeadOn() throws {
        try fill(20)
        let store = try open()
        var lists: [TuneList] = []
        do {
            let first = try #require(try store.object(Tune.self, rowID: 2))
            lists = first.lists
            #expect(lists.count == 1 && lists[0].isFault)
        }
        let songs = try store.prefetch(\TuneList.tunes, of: lists)
        let albums = try store.prefetch(\Tune.album, of: songs)
        #expect(songs.count == 10 && albums.count == 10)
        backend.order { $0.readsFail = true }
        #expect(songs.allSatisfy { $0.album?.tracks.first === $0 })
        #expect(albums.allSatisfy { !$0.isFault && $0.fetchError == nil })
    }

    @Test func handWrittenClassesAreReadAheadToo() throws {
        try fill(12)
        let store = try open()
        let lists = try store.objects(of: Playlist.self)
        #expect(try store.prefetch(\Playlist.songs, of: lists).count == 12)
        backend.order { $0.readsFail = true }
        #expect(lists[1].songs.map(\.title) == ["Song 10", "Song 11"])
    }

    @Test func listsThatMakeNoObjectsUntilAskedAreReadAheadToo() throws {
        let first = try open()
        let songs = (0..<5).map { Song("Song \($0)") }
        songs.forEach(first.insert)
        first.insert(Queue("queue", songs))
        try first.save()
        let store = try open()
        let queues = try store.objects(of: Queue.self)
        #expect(try store.prefetch(\Queue.songs, of: queues).count == 5)
        backend.order { $0.readsFail = true }
        #expect(queues[0].songs.map(\.title) == (0..<5).map { "Song \($0)" })
    }

    @Test func aFewOfManyAreReadAloneAndNobodyElse() throws {
        try fill(400)
        let store = try open()
        let lists = try store.objects(of: TuneList.self)
        try store.prefetch(lists[7].tunes.reversed())
        let tune = try report("Tune", in: store)
        #expect(tune.recordsPrefetched == 10 && tune.liveObjects == 400 && tune.liveFaults == 390)
        #expect(tune.faultsRead == 0)
        #expect(lists[7].tunes.map(\.isFault).contains(true) == false)
        #expect(lists[8].tunes.allSatisfy { $0.isFault })
    }

    /// As many as make a walk worth while, and so few that they are read alone.
    @Test(arguments: [20, 2000])
    func whatCannotBeReadIsAsIfTouched(_ count: Int) throws {
        try fill(count)
        let store = try open()
        let delegate = Listener()
        store.delegate = delegate
        let list = try #require(try store.object(TuneList.self, rowID: 2))
        let songs = list.tunes
        try backend.put(nil, at: 3, of: "Tune")
        try backend.put([0, 200], at: 5, of: "Tune")
        try store.prefetch(songs)
        #expect(songs.map(\.isFault).contains(true) == false)
        #expect(songs.filter { $0.isDeleted }.map(\.rowID) == [3])
        #expect(songs.filter { $0.fetchError != nil }.map(\.rowID) == [3, 5])
        #expect(songs[1].fetchError as? StoreError == .rowGone(class: "Tune", row: 3))
        #expect(songs[9].title == "Tune 9")
        #expect(delegate.calls.sorted() == ["failed Tune 3", "failed Tune 5"])
        #expect(messages.all.count == 2)
    }

    @Test func objectsOfOtherStoresAreRefusedAndPlainOnesLeftAlone() throws {
        try fill(10)
        let (store, other) = (try open(), try open())
        let mine = try #require(try store.object(TuneList.self, rowID: 2)).tunes
        let foreign = try #require(try other.object(TuneList.self, rowID: 2)).tunes
        #expect(throws: StoreError.wrongStore(class: "Tune")) {
            try store.prefetch(mine + foreign)
        }
        #expect(mine.allSatisfy { $0.isFault }, "nothing was read")
        try store.delete(mine[0])
        try store.prefetch(mine + [Tune("plain")])
        #expect(mine.dropFirst().allSatisfy { !$0.isFault })
        try store.close()
        #expect(throws: StoreError.closed) { try store.prefetch(mine) }
    }

    // MARK: One by one

    static let advice =
        "notice: 50 objects of class Tune were read one by one. To read such objects in one pass "
        + "beforehand: store.prefetch(\\TuneList.tunes, of: …), or "
        + "store.prefetch(\\Disc.tracks, of: …)."

    /// A clock that stands still until a test sets it.
    final class Clock {
        var now = ContinuousClock.now
    }

    /// A store in which time passes as the clock tells.
    func openTimed() throws -> (Store, Clock) {
        let (store, clock) = (try open(), Clock())
        for storedClass in store.classes { storedClass.reads.now = { clock.now } }
        return (store, clock)
    }

    @Test func faultsReadOneByOneAreToldOncePerBurst() throws {
        try fill(300)
        let (store, clock) = try openTimed()
        let lists = try store.objects(of: TuneList.self)
        let songs = lists.flatMap(\.tunes)
        for song in songs[..<49] { _ = song.title }
        #expect(messages.all.isEmpty)
        clock.now += .milliseconds(999)
        for song in songs[49..<250] { _ = song.title }
        #expect(messages.all == [Self.advice])
        // A fetch ends the burst.
        try store.prefetch(songs[250..<251])
        for song in songs[251..<300] { _ = song.title }
        #expect(messages.all.count == 1)
        #expect(try report("Tune", in: store).faultsRead == 299)
        #expect(try report("Tune", in: store).faultBursts == 1)
        for song in songs { try store.rollback(song) }
        for song in songs { _ = song.title }
        #expect(messages.all == [Self.advice, Self.advice])
    }

    @Test func touchesThatComeSlowlyAreNoBurst() throws {
        try fill(60)
        let (store, clock) = try openTimed()
        let songs = try store.objects(of: TuneList.self).flatMap(\.tunes)
        for song in songs[..<49] { _ = song.title }
        clock.now += .seconds(1)
        _ = songs[49].title
        #expect(messages.all.isEmpty)
        #expect(try report("Tune", in: store).faultsRead == 50)
    }

    @Test func theReportSaysWhatIsInMemoryAndHow() throws {
        try fill(10)
        let store = try open()
        let list = try #require(try store.objects(of: TuneList.self).first)
        _ = list.tunes[0].title
        store.insert(Disc())
        list.tunes[3].title = "changed"
        try store.delete(list.tunes[5])
        store.namedBuffers["Favorite"] = DataBuffer()
        let report = store.debugReport
        #expect(
            report.description.split(separator: "\n").first
                == """
                Tune: 10 live (7 faults); read 0 by fetches, 0 ahead, 3 one by one in 0 bursts; \
                pending 0 new, 1 changed, 1 deleted
                """)
        #expect(report.classes[2].pendingInserts == 1)
        #expect(report.pendingNames == 1)
        #expect(report.description.hasSuffix("1 named buffers pending"))
    }
}
