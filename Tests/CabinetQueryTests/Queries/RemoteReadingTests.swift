import CabinetBackend
import Foundation
import Testing
import TrustSupport

@testable import Cabinet
@testable import CabinetTestModel

/// How often a store asks an engine on another machine.
struct RemoteReadingTests {
    private let backend = RemoteBackend()
    private let container: StoreContainer
    private static let songs = 1000

    /// An album whose songs are in no order of rows, among songs of others.
    init() throws {
        container = StoreContainer(
            backend: backend, classes: [IndexedSong.self, IndexedAlbum.self])
        let store = try container.makeStore()
        var songs = (0..<Self.songs).map { number in
            IndexedSong("Song \(number + 10_000)", artist: "Evans", year: number % 50)
        }
        var random = SeededRandom(seed: 7)
        for song in songs.shuffled(using: &random) {
            store.insert(song)
            for _ in 0..<4 { store.insert(IndexedSong("Other", artist: "Davis")) }
        }
        let album = IndexedAlbum()
        album.songs = songs
        store.insert(album)
        try store.save()
        songs = []
        try store.close()
        _ = backend.trips.take()
    }

    private var lookUps: Int { backend.trips.take().count }

    @Test func aThousandFaultsOfAListAreReadInSixteenLookUps() throws {
        let store = try container.makeStore()
        let album = try #require(try store.objects(of: IndexedAlbum.self).first)
        let songs = album.songs
        #expect(songs.count == Self.songs && songs.allSatisfy { $0.isFault })
        _ = lookUps
        #expect(songs.map(\.title) == (0..<Self.songs).map { "Song \($0 + 10_000)" })
        #expect(lookUps <= 16)
        #expect(songs.allSatisfy { !$0.isFault })
        try store.close()
    }

    @Test func aThousandObjectsOfALiveListAreReadInSixteenLookUps() throws {
        let store = try container.makeStore()
        let live = try store.query(IndexedSong.self).filter(#Predicate { $0.artist == "Evans" })
            .sorted(by: .descending(\.title)).live()
        _ = lookUps
        #expect(live.objects.map(\.title).first == "Song 10999")
        #expect(lookUps <= 16)
        try store.close()
    }

    @Test func anIndexedFetchOfAThousandTakesThreeLookUps() throws {
        let store = try container.makeStore()
        try store.indexes.require()
        // The first query of a class asks how many objects there are.
        let none = store.query(IndexedSong.self).filter(#Predicate { $0.artist == "Nobody" })
        #expect(try none.objects().isEmpty)
        let query = store.query(IndexedSong.self).filter(#Predicate { $0.artist == "Evans" })
        _ = lookUps
        #expect(try query.objects().count == Self.songs)
        let asked = backend.trips.take()
        #expect(asked.count <= 3, "\(asked)")
        try store.close()
    }

    @Test func aSaveLooksUpWhatItReplacesAndNothingElse() throws {
        let store = try container.makeStore()
        let album = try #require(try store.objects(of: IndexedAlbum.self).first)
        let song = album.songs[0]
        song.title = "First"
        try store.save()
        _ = lookUps
        store.insert(IndexedSong("New", artist: "Baker"))
        try store.save()
        #expect(backend.trips.take() == [])
        song.title = "Second"
        try store.save()
        #expect(backend.trips.take() == ["values"])
        // The other side is written, too: of a class without indexes no record is compared, and it is asked
        // whether it is empty.
        song.album = nil
        try store.save()
        #expect(backend.trips.take().sorted() == ["count of a table", "values"])
        try store.close()
    }

    @Test func eachLevelIsPrefetchedInOneLookUp() throws {
        let store = try container.makeStore()
        let albums = try store.objects(of: IndexedAlbum.self)
        _ = lookUps
        let songs = try store.prefetch(\IndexedAlbum.songs, of: albums)
        #expect(backend.trips.take() == ["values"])
        let other = try container.makeStore()
        let some = try other.query(IndexedSong.self).filter(#Predicate { $0.year == 7 }).objects()
        _ = lookUps
        let found = try other.prefetch(\IndexedSong.album, of: some)
        let all = try other.prefetch(\IndexedAlbum.songs, of: found)
        #expect(backend.trips.take() == ["values", "values"])
        #expect(all.count == songs.count && all.allSatisfy { !$0.isFault })
        try store.close()
    }

    @Test func whatWasReadAheadIsForgottenWithEachCommit() throws {
        let store = try container.makeStore()
        let album = try #require(try store.objects(of: IndexedAlbum.self).first)
        let songs = album.songs
        #expect(songs[0].title == "Song 10000" && songs[1].isFault)
        let other = try container.makeStore()
        let id = try #require(songs[1].objectID)
        try #require(try other.object(id)).title = "Changed"
        try other.save()
        #expect(songs[2].title == "Song 10002")
        try store.refresh()
        #expect(songs[1].title == "Changed")
        songs[0].title = "Own"
        try store.save()
        _ = lookUps
        #expect(songs[3].title == "Song 10003" && songs[4].title == "Song 10004")
        #expect(lookUps == 1)
        try store.close()
    }

    @Test func aDamagedRecordEndsNoOther() throws {
        let store = try container.makeStore()
        let album = try #require(try store.objects(of: IndexedAlbum.self).first)
        let songs = album.songs
        backend.trips.damagedRow = songs[5].rowID
        for (index, song) in songs.prefix(10).enumerated() {
            #expect(song.title == (index == 5 ? "" : "Song \(index + 10_000)"))
            #expect((song.fetchError == nil) == (index != 5))
        }
        backend.trips.damagedRow = nil
        try songs[5].load()
        #expect(songs[5].title == "Song 10005")
        try store.close()
    }

    private final class Waiting: StoreDelegate {
        var waits: [(Duration, [String])] = []
        func store(
            _ store: Store, didWait wait: Duration, toRead object: StoredObject, advice: [String]
        ) { waits.append((wait, advice)) }
    }

    @Test func theDelegateHearsOfALongWait() throws {
        let store = try container.makeStore()
        let delegate = Waiting()
        store.delegate = delegate
        let album = try #require(try store.objects(of: IndexedAlbum.self).first)
        let clock = Guarded((now: ContinuousClock.now, step: Duration.milliseconds(50)))
        store.classes.first { $0.type == IndexedSong.self }?.reads.now = {
            clock.withLock {
                $0.now += $0.step
                return $0.now
            }
        }
        _ = album.songs[0].title
        #expect(delegate.waits.isEmpty)
        clock.withLock { $0.step = .milliseconds(51) }
        _ = album.songs[1].title
        #expect(delegate.waits.map(\.0) == [.milliseconds(51)])
        #expect(delegate.waits.first?.1 == [#"store.prefetch(\IndexedAlbum.songs, of: …)"#])
        // What is in memory is not waited for.
        _ = album.songs[1].artist
        #expect(delegate.waits.count == 1)
        try store.close()
    }
}
