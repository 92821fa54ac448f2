import Cabinet
import CabinetMemory
import CabinetTestSupport
import Foundation
import Testing

@testable import CabinetTestModel

/// A declared object takes one block of memory, and what its values need: no block for a field, a
/// relationship, or whatever keeps track of them.
///
/// Counted as in `AllocationTests`, for ten thousand objects beyond the first ten thousand.
@Suite(.enabled(if: Allocations.canBeCounted, "allocations cannot be counted here"))
struct DeclaredAllocationTests {
    private static let title = "A title of more than fifteen bytes"

    /// The object and its title.
    @Test func insertingTakesTheObjectAndItsTitle() throws {
        try expect(atMost: 2.1, unoptimized: 30) { store, count in
            for _ in 0..<count { store.insert(Track(Self.title, seconds: 1)) }
        }
    }

    /// Relationships that lead nowhere take nothing, and the other side of one that leads to an
    /// album takes one element of the album's list.
    @Test func relationshipsTakeNothingByThemselves() throws {
        try expect(atMost: 2.1, unoptimized: 50) { store, count in
            for _ in 0..<count { store.insert(Tune(Self.title)) }
        }
        try expect(atMost: 2.2, unoptimized: 250) { store, count in
            let disc = Disc()
            store.insert(disc)
            for _ in 0..<count {
                let tune = Tune(Self.title)
                tune.album = disc
                store.insert(tune)
            }
            #expect(disc.tracks.count == count)
        }
    }

    /// Tunes that stand in one list share what leads back to it.
    @Test func otherSidesTakeNothing() throws {
        var songs: [Tune] = []
        try expect(
            atMost: 0.1, unoptimized: 100,
            prepare: { store, count in
                songs = (0..<count).map { _ in Tune(Self.title) }
                songs.forEach(store.insert)
                try store.save()
            },
            { store, _ in
                let list = TuneList()
                store.insert(list)
                for song in songs { list.tunes.append(song) }
                #expect(songs[0].lists.count == 1)
            })
    }

    /// The object, its title, and the list of those that it stands in.
    @Test func fetchingTakesWhatTheValuesNeed() throws {
        try expect(atMost: 3.2, unoptimized: 60, prepare: save) { store, count in
            let songs = try store.objects(of: Tune.self)
            #expect(songs.count == count)
        }
    }

    @Test func changingTakesNothing() throws {
        var songs: [Tune] = []
        try expect(
            atMost: 0.2, unoptimized: 80,
            prepare: { store, count in
                try save(store, count)
                songs = try store.objects(of: Tune.self)
            },
            { _, _ in for song in songs { song.title = Self.title } })
    }

    private func save(_ store: Store, _ count: Int) throws {
        let list = TuneList()
        list.tunes = (0..<count).map { _ in Tune(Self.title) }
        store.insert(list)
        try store.save()
        store.dissolveAllRelationships()
    }

    private func expect(
        atMost limit: Double, unoptimized: Double,
        prepare: (Store, Int) throws -> Void = { _, _ in },
        _ body: @escaping (Store, Int) throws -> Void
    ) throws {
        var counts: [Int] = []
        for count in [10_000, 20_000] {
            let store = try Store(backend: MemoryBackend(), classes: tunes + [Track.self])
            try prepare(store, count)
            counts.append(try Allocations.count { try body(store, count) })
            try store.close()
        }
        let perObject = Double(counts[1] - counts[0]) / 10_000
        #if DEBUG
            #expect(perObject <= unoptimized)
        #else
            #expect(perObject <= limit)
        #endif
    }
}
