import CabinetBackend
import Testing

@testable import Cabinet
@testable import CabinetTestModel

/// A store has committed, and then cannot find out what others have committed just before.
struct FailedCatchingUpTests {
    private struct Scene {
        let backend = FaultyBackend(isolatesCommits: true)
        let mine: Store
        let theirs: Store
        let seen = Wall()
        let edited = Wall()

        init() throws {
            let classes: [StoredObject.Type] = [Poster.self, Wall.self, Trigger.self]
            mine = try Store(backend: backend, classes: classes)
            for object in [seen, edited, Trigger()] { mine.insert(object) }
            try mine.save()
            theirs = try Store(backend: backend, classes: classes)
        }

        /// Saves `mine`. Behind what it looks at before its commit, the other store makes the height
        /// of `seen` 10, and then `failure` happens.
        func save(_ failure: @escaping (inout FaultyBackend.Orders) -> Void) throws {
            let trigger = try #require(try mine.objects(of: Trigger.self).first)
            trigger.pulls += 1
            trigger.body = {
                try #require(try theirs.object(Wall.self, rowID: seen.rowID)).height = 10
                try theirs.save()
                backend.order { failure(&$0) }
            }
            edited.height = 3
            try mine.save()
            backend.order { ($0.feedFails, $0.snapshotsFail) = (false, false) }
        }
    }

    @Test func whatOthersHaveChangedIsReadAgain() throws {
        let scene = try Scene()
        try scene.save { $0.feedFails = true }
        #expect(try scene.mine.basis == scene.backend.lastCommit())
        #expect(scene.seen.height == 10 && scene.edited.height == 3)
        #expect(!scene.mine.hasChanges)
        scene.seen.height += 1
        try scene.mine.save()
        try scene.theirs.refresh()
        #expect(try scene.theirs.objects(of: Wall.self).map(\.height) == [11, 3])
    }

    /// Not even a frozen reader can be made.
    @Test func orTheStoreStaysAtItsBasis() throws {
        let scene = try Scene()
        let basis = scene.mine.basis
        try scene.save { ($0.feedFails, $0.snapshotsFail) = (true, true) }
        #expect(scene.mine.basis == basis && !scene.mine.hasChanges)
        #expect(scene.seen.height == 2 && scene.edited.height == 3)
        try scene.mine.refresh()
        #expect(scene.seen.height == 10 && scene.edited.height == 3)
        #expect(try scene.mine.basis == scene.backend.lastCommit())
    }

    @Test func andLosesNoUpdateThere() throws {
        let scene = try Scene()
        try scene.save { ($0.feedFails, $0.snapshotsFail) = (true, true) }
        scene.seen.height = 20
        #expect(throws: StoreError.self) { try scene.mine.save() }
        try scene.mine.save(onConflict: .theirs)
        #expect(scene.seen.height == 10 && scene.edited.height == 3)
        scene.edited.height = 4
        try scene.mine.save()
        try scene.theirs.refresh()
        #expect(try scene.theirs.objects(of: Wall.self).map(\.height) == [10, 4])
    }

    /// A list that refreshes by itself says so, and goes on when it can, also if nothing has changed in it.
    @MainActor @Test(arguments: [true, false])
    func aLiveListSaysThatItIsBehind(isWatched: Bool) async throws {
        let backend = FaultyBackend(isolatesCommits: true)
        let classes: [StoredObject.Type] = [Wall.self, Trigger.self]
        let mine = try Store(backend: backend, classes: classes)
        let theirs = try Store(backend: backend, classes: classes)
        mine.refreshesAutomatically = true
        let live = try mine.query(Wall.self).live()
        var changes = live.changes.makeAsyncIterator()
        #expect(try await changes.next()?.isReset == true)
        func save() throws {
            theirs.insert(isWatched ? Wall() : Trigger())
            try theirs.save()
        }
        func wait(until holds: () -> Bool) async throws {
            for _ in 0..<10_000 where !holds() { try await Task.sleep(for: .milliseconds(1)) }
        }
        backend.order { $0.snapshotsFail = true }
        try save()
        try await wait { live.failure != nil }
        #expect(live.failure as? BackendError == FaultyBackend.failure && live.objects.isEmpty)
        backend.order { $0.snapshotsFail = false }
        try save()
        try await wait { live.failure == nil }
        #expect(live.failure == nil && live.objects.count == (isWatched ? 2 : 0))
        if isWatched { #expect(try await changes.next()?.objects.count == 2) }
    }
}

private typealias Poster = PosterClasses.Poster
private typealias Wall = PosterClasses.Wall
private typealias Trigger = PosterClasses.Trigger
