import CabinetBackend
import Foundation
import Synchronization
import Testing
import TrustSupport

@testable import Cabinet

/// What a live list says of single changes.
struct LiveObjectsTests {
    private func open(_ count: Int = 5) throws -> (Store, [Track]) {
        let store = try Store(
            inMemory: [Track.self, Record.self, Cover.self, Note.self, LongNote.self])
        let tracks = (0..<count).map { number in
            let track = Track()
            (track.title, track.year) = ("\(number)", number * 10)
            store.insert(track)
            return track
        }
        try store.save()
        #if DEBUG
            store.verifiesLiveQueries = true
        #endif
        return (store, tracks)
    }

    private let byYear = ObjectQuery<Track>(sortedBy: [.ascending(\.year)])

    @Test func eachChangeSaysWhatASaveHasDone() async throws {
        let (store, tracks) = try open()
        let live = try store.query(byYear).live()
        var changes = live.changes.makeAsyncIterator()
        let first = try #require(try await changes.next())
        #expect(
            first.isReset && first.cause == []
                && first.objects.map(\.title) == ["0", "1", "2", "3", "4"])
        tracks[4].year = -1
        tracks[2].plays = 1
        try store.save()
        let second = try #require(try await changes.next())
        #expect(second.moves == [.init(from: 4, to: 0)])
        #expect(second.updates == [0, 3] && second.insertions == [] && second.deletions == [])
        #expect(second.cause == .save && second.commit == store.basis)
        try store.delete(tracks[0])
        let track = Track()
        track.year = 15
        store.insert(track)
        try store.save()
        let third = try #require(try await changes.next())
        #expect(third.deletions == [1] && third.insertions == [2] && third.moves == [])
        #expect(third.objects.map(\.year) == [-1, 10, 15, 20, 30])
        // Older ones stay as they were.
        #expect(first.objects.count == 5 && first.objects[4] === tracks[4])
        #expect(live.objects.count == 5 && live.commit == store.basis)
    }

    @Test func aSlowReaderGetsSeveralChangesAsOne() async throws {
        let (store, tracks) = try open()
        let live = try store.query(byYear).live()
        var changes = live.changes.makeAsyncIterator()
        _ = try await changes.next()
        for number in 0..<3 {
            tracks[0].year = number * 100
            tracks[number + 1].plays = 1
            try store.save()
        }
        let change = try #require(try await changes.next())
        #expect(change.moves == [.init(from: 0, to: 4)] && change.deletions == [])
        #expect(change.updates == [0, 1, 2, 4])
        try store.delete(tracks[1])
        try store.save()
        #expect(try await changes.next()?.deletions == [0])
    }

    @Test func aSaveThatTheListDoesNotLookAtIsNoChange() throws {
        let (store, _) = try open()
        let live = try store.query(byYear).live()
        let reader = LiveReader()
        live.rows.add(reader)
        func take() -> LiveChange<Track>? {
            reader.take(live.rows)
        }
        #expect(take()?.isReset == true)
        store.insert(Cover())
        store.insert(Note())
        try store.save()
        #expect(take() == nil)
        #expect(try !store.registered(Note.self).isWatched)
        #expect(try store.registered(Track.self).isWatched)
    }

    @Test func whatOthersSaveNamesItsAuthor() async throws {
        let container = StoreContainer(inMemory: [Track.self, Record.self, Cover.self])
        let store = try container.makeStore()
        let other = try container.makeStore()
        other.author = "import"
        let live = try store.query(byYear).live()
        var changes = live.changes.makeAsyncIterator()
        _ = try await changes.next()
        other.insert(Track())
        try other.save()
        #expect(live.objects.isEmpty)
        try store.refresh()
        let change = try #require(try await changes.next())
        #expect(change.insertions == [0] && change.cause == .otherStores)
        #expect(change.authors == ["import"])
        #expect(live.objects[0].year == 0)
    }

    @Test func pendingChangesCountWhereTheyAreAskedFor() async throws {
        let (store, tracks) = try open()
        let saved = try store.query(byYear).live()
        let live = try store.query(byYear).live(includingPending: true)
        var changes = live.changes.makeAsyncIterator()
        _ = try await changes.next()
        tracks[0].year = 25
        let first = try #require(try await changes.next())
        #expect(first.moves == [.init(from: 0, to: 2)] && first.cause == .edit)
        // Each further edit of a pending object, too.
        tracks[0].year = 35
        #expect(try await changes.next()?.moves == [.init(from: 2, to: 3)])
        #expect(saved.objects.map(\.title) == ["0", "1", "2", "3", "4"])
        let track = Track()
        store.insert(track)
        #expect(live.objects.first === track)
        try store.delete(tracks[4])
        #expect(live.objects.count == 5)
        store.rollback()
        #expect(live.objects.map(\.title) == ["0", "1", "2", "3", "4"])
        #expect(try await changes.next()?.moves == [.init(from: 3, to: 0)])
    }

    @Test func aListThatIsDroppedLeavesNothingBehind() throws {
        let (store, tracks) = try open()
        weak var dropped: LiveObjects<Track>?
        weak var rows: LiveRows<Track>?
        do {
            let live = try store.query(byYear).live(includingPending: true)
            (dropped, rows) = (live, live.rows)
            var changes: LiveChanges<Track>.Iterator? = live.changes.makeAsyncIterator()
            #expect(try store.registered(Track.self).isWatched && store.hasDelegate)
            _ = changes.take()
        }
        #expect(dropped == nil && rows == nil)
        #expect(try !store.registered(Track.self).isWatched && !store.hasDelegate)
        tracks[0].year = 5
        try store.save()
    }

    @Test func closingTheStoreEndsTheChanges() async throws {
        let (store, _) = try open()
        let live = try store.query(byYear).live()
        var changes = live.changes.makeAsyncIterator()
        let objects = try #require(try await changes.next()).objects
        try store.close()
        #expect(try await changes.next() == nil)
        #expect(live.objects.isEmpty && objects.count == 5 && objects[0].title == "")
    }

    @Test func anErrorIsThrownAndTheNextCommitTriesAgain() async throws {
        struct Refusal: Error {}
        let fails = Mutex(false)
        let (store, tracks) = try open()
        let live = try store.query(Track.self).filter { track in
            if fails.withLock({ $0 }) { throw Refusal() }
            return track.year > 0
        }.sorted(by: \.year).live()
        var changes = live.changes.makeAsyncIterator()
        _ = try await changes.next()
        fails.withLock { $0 = true }
        tracks[0].year = 1
        try store.save()
        await #expect(throws: Refusal.self) { _ = try await changes.next() }
        #expect(try await changes.next() == nil)
        #expect(live.failure is Refusal && live.objects.count == 4)
        fails.withLock { $0 = false }
        tracks[0].plays = 1
        try store.save()
        #expect(live.failure == nil && live.objects.count == 5)
        var others = live.changes.makeAsyncIterator()
        #expect(try await others.next()?.objects.count == 5)
    }

    @Test func aLimitedListRefillsFromItsQuery() throws {
        let (store, tracks) = try open(200)
        let live = try store.query(Track.self).sorted(by: \.year).limit(3).offset(1).live()
        for start in stride(from: 0, to: 190, by: 10) {
            for track in tracks[start..<start + 10] { try store.delete(track) }
            try store.save()
            #expect(live.objects.map(\.year) == [1, 2, 3].map { (start + 10 + $0) * 10 })
        }
    }

    @Test func manyInOneSaveAreReadByTheQuery() throws {
        let (store, _) = try open()
        let live = try store.query(byYear).live()
        let reader = LiveReader()
        live.rows.add(reader)
        _ = reader.take(live.rows)
        for number in 0..<3000 {
            let track = Track()
            track.year = number * 7 % 3001
            store.insert(track)
        }
        try store.save()
        let change = reader.take(live.rows)
        #expect(change?.insertions.count == 3000 && change?.moves.isEmpty == true)
        #expect(live.objects.count == 3005)
    }

    @Test func aSaveAsksTheConditionOfWhatItHasChanged() throws {
        let (store, _) = try open()
        let notes = (0..<2000).map { number in
            let note = Note()
            note.rank = number
            store.insert(note)
            return note
        }
        try store.save()
        let calls = Mutex(0)
        #if DEBUG
            store.verifiesLiveQueries = false
        #endif
        let live = try store.query(Note.self).filter { note in
            calls.withLock { $0 += 1 }
            return note.rank % 2 == 0
        }.sorted(by: \.rank).live()
        let asked = calls.withLock { $0 }
        notes[7].rank = 5000
        notes[9].rank = 8
        try store.save()
        #expect(calls.withLock { $0 } == asked + 2)
        store.insert(Track())
        try store.save()
        #expect(calls.withLock { $0 } == asked + 2)
        #expect(live.objects.count == 1002 && live.objects.last === notes[7])
    }
}
