import CabinetBackend
import Foundation
import Testing
import TrustSupport

@testable import Cabinet
@testable import CabinetTestModel

/// Queries that are answered on another thread.
@Suite("Fetches in the background")
@MainActor
struct BackgroundFetchTests {
    private let store: Store

    init() throws { store = try Take.makeStore() }

    private func expectSame(_ query: StoreQuery<Take>, _ note: Comment? = nil) async throws {
        let found = try await query.fetchInBackground()
        let wanted = try query.objects()
        #expect(found.count == wanted.count && zip(found, wanted).allSatisfy { $0 === $1 }, note)
        #expect(found.allSatisfy { !$0.isFault })
    }

    /// Another store over the same backend, so that nothing is in memory yet.
    private func opened() throws -> Store { try store.container.makeStore() }

    @Test("give what objects() gives, whatever is asked", arguments: RunSetting.seeds(8))
    func equality(seed: UInt64) async throws {
        var random = SeededRandom(seed: seed)
        let store = try opened()
        for _ in 0..<6 {
            let (year, artist) = (
                1_900 + Int.random(in: 0..<100, using: &random),
                Int.random(in: 0..<10, using: &random)
            )
            var query = store.query(Take.self)
            switch Int.random(in: 0..<5, using: &random) {
            case 0: query = query.filter(#Predicate { $0.year > year })
            case 1:
                query = try query.filter(text: "artist = \("Artist \(artist)") AND year < \(year)")
            case 2: query = query.filter { $0.year % 7 == artist % 7 }
            case 3: query = query.filter(#Predicate { $0.score > 3 && $0.title.contains("7") })
            default: break
            }
            if Bool.random(using: &random) {
                query = query.sorted(by: .descending(\.score), .ascending(\.title))
            }
            if Bool.random(using: &random) {
                query = query.limit(Int.random(in: 0..<50, using: &random))
            }
            if Bool.random(using: &random) {
                query = query.offset(Int.random(in: 0..<50, using: &random))
            }
            if Bool.random(using: &random) { try store.query(Take.self).first()?.year += 1 }
            try await expectSame(query, "\(query.query)")
        }
    }

    @Test("count what is pending, and what others saved once the store has taken it up")
    func changes() async throws {
        let store = try opened()
        let query = store.query(Take.self).filter(#Predicate { $0.year == 1950 })
        store.insert(Take("New", year: 1950))
        #expect(try await query.fetchInBackground().count == 11)
        try store.save()
        let other = try opened()
        other.insert(Take("Other", year: 1950))
        try other.save()
        #expect(try await query.fetchInBackground().count == 11)
        try store.refresh()
        #expect(try await query.fetchInBackground().count == 12)
    }

    @Test("begin again if the store changes meanwhile, and are of the moment of their end")
    func meanwhile() async throws {
        let changes = Guarded(0)
        // The background stands still in its filter while the store's own domain goes on.
        let edit: @Sendable () -> Void = {
            guard
                changes.withLock({ count in
                    defer { count += 1 }
                    return count == 0
                })
            else { return }
            DispatchQueue.main.sync {
                MainActor.assumeIsolated {
                    store.insert(Take("Meanwhile", year: 2_001))
                    do { try store.save() } catch { Issue.record(error) }
                }
            }
        }
        let query = store.query(Take.self).filter { take in
            edit()
            return take.year > 1_998
        }
        let found = try await query.fetchInBackground()
        #expect(found.count == 11 && found.contains { $0.title == "Meanwhile" })
        #expect(changes.withLock { $0 } > 1_000)
    }

    @Test("let other work of the domain come between")
    func turns() async throws {
        let store = try opened()
        let ticking = Task { @MainActor in
            var turns = 0
            while !Task.isCancelled {
                turns += 1
                await Task.yield()
            }
            return turns
        }
        // A part is 2,048 objects, and more room than that they take: one after the other.
        for _ in 0..<5 { _ = try await store.query(Take.self).fetchInBackground() }
        ticking.cancel()
        let turns = await ticking.value
        #expect(turns >= 5)
    }

    @Test("load what relationships lead to, and the owners")
    func loading() async throws {
        let first = try Store(inMemory: [IndexedSong.self, IndexedAlbum.self])
        for number in 0..<6 {
            let album = IndexedAlbum()
            album.name = "Album \(number)"
            album.songs = (0..<50).map { IndexedSong("Song \(number).\($0)") }
            first.insert(album)
        }
        try first.save()
        let store = try first.container.makeStore()
        let albums = try store.objects(of: IndexedAlbum.self)
        let songs = try await store.load(albums[2], \.songs)
        #expect(songs.count == 50 && songs.allSatisfy { !$0.isFault })
        #expect(albums[3].songs.allSatisfy { $0.isFault })
        #expect(
            try await store.load(albums, \.songs).map(\.title)
                == albums.flatMap { $0.songs.map(\.title) })
        let found = try await store.load(songs + songs, \.album)
        #expect(found.map(\.name) == ["Album 2"])
        #expect(try await store.load([IndexedAlbum](), \.songs).isEmpty)
        let prefetched = try await first.container.makeStore().query(IndexedSong.self)
            .prefetching(\.album).fetchInBackground()
        #expect(prefetched.count == 300 && prefetched.allSatisfy { $0.album?.isFault == false })
    }

    @Test("read what is to be prefetched before each object of a walk", arguments: [false, true])
    func prefetchingForEach(_ isSorted: Bool) throws {
        let first = try Store(inMemory: [IndexedSong.self, IndexedAlbum.self])
        for number in 0..<300 {
            let song = IndexedSong("Song \(number)")
            song.album = IndexedAlbum()
            first.insert(song)
        }
        try first.save()
        let store = try first.container.makeStore()
        let song = try #require(try store.query(IndexedSong.self).first())
        var query = store.query(IndexedSong.self).prefetching(\.album)
        if isSorted { query = query.sorted(by: \.title) }
        let pending = IndexedSong("Pending")
        store.insert(pending)
        var (met, read) = (0, 0)
        try query.forEachObject { object in
            met += 1
            if object.album?.isFault == false { read += 1 }
            // What goes before its turn is not met.
            if met == 1 { try store.delete(object === song ? pending : song) }
        }
        #expect(met == 300 && read >= 299)
    }

    @Test("end with the store, and with their task")
    func ends() async throws {
        let store = try opened()
        let query = store.query(Take.self)
        let count = Task { @MainActor in
            withUnsafeCurrentTask { $0?.cancel() }
            return try await query.fetchInBackground().count
        }
        #expect(await thrown { _ = try await count.value } is CancellationError)
        let foreign = try Take.makeStore()
        let takes = try foreign.query(Take.self).limit(3).objects()
        let wrong = await thrown { try await store.load(takes, \.noTakes) }
        #expect(wrong as? StoreError == .wrongStore(class: "Take"))
        try store.close()
        #expect(await thrown { _ = try await query.fetchInBackground() } as? StoreError == .closed)
        #expect(
            await thrown { try await store.load([Take](), \.noTakes) } as? StoreError == .closed)
    }

    private func thrown(_ body: () async throws -> Void) async -> (any Error)? {
        do {
            try await body()
            return nil
        } catch { return error }
    }
}

extension Take {
    fileprivate var noTakes: [Take] { [] }
}
