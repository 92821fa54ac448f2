import CabinetBackend
import Foundation
import Observation
import Synchronization
import Testing
import TrustSupport

@testable import Cabinet

/// What the observers of live lists and values hear, and what they may do then.
struct LiveObserverTests {
    private struct Failure: Error {}

    private func open() throws -> (Store, [Track]) {
        let store = try Store(inMemory: [Track.self, Record.self, Cover.self])
        let tracks = (0..<4).map { number in
            let track = Track()
            (track.title, track.year) = ("\(number)", number)
            store.insert(track)
            return track
        }
        try store.save()
        return (store, tracks)
    }

    /// Tracks what `read` reads, and again whenever its observer is called; counts these calls.
    private final class Watcher: Sendable {
        private let calls = Atomic<Int>(0)
        var count: Int { calls.load(ordering: .relaxed) }

        func watch(_ read: @escaping () -> Void) {
            let tracked = Tracked(read)
            withObservationTracking {
                tracked.read()
            } onChange: { [self] in
                calls.add(1, ordering: .relaxed)
                watch(tracked.read)
            }
        }

        /// `@unchecked Sendable`, because the store calls the observer where it saves, and nothing else is done there.
        private struct Tracked: @unchecked Sendable {
            let read: () -> Void
            init(_ read: @escaping () -> Void) { self.read = read }
        }
    }

    /// Once, who read two properties and tracked them anew was told twice of each save.
    @Test func anObserverThatTracksAgainIsToldOnce() throws {
        let (store, tracks) = try open()
        let live = try store.query(Track.self).filter(#Predicate { $0.year > 1 }).live()
        let count = try store.query(Track.self).filter(#Predicate { $0.year > 1 }).liveCount()
        let sections = try store.query(Track.self).sorted(by: \.title).live(sections: \.year)
        let watchers = [Watcher(), Watcher(), Watcher()]
        watchers[0].watch { _ = (live.objects.count, live.commit, live.failure == nil) }
        watchers[1].watch { _ = (count.value, count.failure == nil) }
        watchers[2].watch {
            _ = (sections.objects.count, sections.sections.count, sections.failure == nil)
        }
        for save in 1...5 {
            tracks[0].year = save.isMultiple(of: 2) ? 0 : 7
            try store.save()
            #expect(watchers.map(\.count) == [save, save, save])
        }
        store.insert(Cover())
        try store.save()
        #expect(watchers.map(\.count) == [5, 5, 5])
    }

    @Test func whoTracksTheFailureHearsOfIt() throws {
        let (store, tracks) = try open()
        var isFailing = false
        let live = try store.live.value(following: Track.self) {
            if isFailing { throw Failure() }
            return try $0.query(Track.self).sum(\.plays)
        }
        let watcher = Watcher()
        watcher.watch { _ = live.failure }
        isFailing = true
        tracks[0].plays = 1
        try store.save()
        #expect(watcher.count == 1 && live.failure is Failure && live.value == 0)
        #expect(throws: Failure.self) { try live.renew() }
        isFailing = false
        tracks[0].plays = 2
        try store.save()
        #expect(watcher.count == 2 && live.failure == nil && live.value == 2)
    }

    /// A value and sections that depend on more than objects are found again when that is asked for.
    @Test func whatDependsOnMoreIsRenewed() throws {
        let (store, _) = try open()
        let limit = Mutex(1)
        let value = try store.live.value(following: Track.self) { store in
            try store.query(Track.self).count() * limit.withLock { $0 }
        }
        let sections = try store.query(Track.self)
            .filter { (track: Track) in track.year < limit.withLock { $0 } }.live(sections: \.year)
        let watcher = Watcher()
        watcher.watch { _ = value.value }
        #expect(value.value == 4 && sections.sections.map(\.key) == [0])
        limit.withLock { $0 = 3 }
        #expect(value.value == 4 && sections.sections.map(\.key) == [0])
        try value.renew()
        try sections.renew()
        #expect(value.value == 12 && sections.sections.map(\.key) == [0, 1, 2])
        try value.renew()
        #expect(watcher.count == 1)
        try store.close()
        #expect(throws: StoreError.self) { try value.renew() }
        #expect(throws: StoreError.self) { try sections.renew() }
    }

    /// Once, the list trapped when it told of its second property.
    @Test func aListMayBeLetGoOfByItsObserver() throws {
        let (store, tracks) = try open()
        let held = Held(try store.query(Track.self).live())
        withObservationTracking {
            _ = held.live?.objects.count
        } onChange: { [held] in
            held.live = nil
        }
        tracks[0].title = "new"
        try store.save()
        #expect(held.live == nil)
    }

    /// `@unchecked Sendable`, because the store calls the observer where it saves, and nothing else is done there.
    private final class Held: @unchecked Sendable {
        var live: LiveObjects<Track>?

        init(_ live: LiveObjects<Track>) { self.live = live }
    }

    @Test func aListIsObserved() throws {
        let (store, tracks) = try open()
        let live = try store.query(Track.self).sorted(by: \.year).live()
        let calls = Mutex(0)
        func track() {
            withObservationTracking {
                _ = live.objects.count
            } onChange: {
                calls.withLock { $0 += 1 }
            }
        }
        track()
        store.insert(Cover())
        try store.save()
        #expect(calls.withLock { $0 } == 0)
        tracks[0].year = 100
        try store.save()
        #expect(calls.withLock { $0 } == 1)
        tracks[0].year = 101
        try store.save()
        #expect(calls.withLock { $0 } == 1)
    }

    /// Once, an edit after a failure hid the commit that would have made it try again.
    @Test func observersHearOfACommitAfterAFailure() throws {
        let (store, tracks) = try open()
        var isFailing = false
        let live = try store.live.value(following: Track.self, includingPending: true) {
            if isFailing { throw Failure() }
            return try $0.query(Track.self).sum(\.plays)
        }
        isFailing = true
        tracks[0].plays = 1
        #expect(live.failure is Failure)
        tracks[0].plays = 2
        let watcher = Watcher()
        watcher.watch { _ = live.value }
        isFailing = false
        try store.save()
        #expect(watcher.count > 0)
        #expect(live.value == 2 && live.failure == nil)
    }
}
