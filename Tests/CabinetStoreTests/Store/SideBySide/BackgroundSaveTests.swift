import CabinetMemory
import CabinetTestSupport
import CabinetTokyo
import Testing

@testable import Cabinet
@testable import CabinetTestModel

/// Saves whose commit another thread makes.
@MainActor
struct BackgroundSaveTests {
    private let backend = FaultyBackend()
    private let store: Store
    private let saved = Bookcase()
    private let deleted = Bookcase()

    init() throws {
        store = try Store(backend: backend, classes: volumeClasses)
        saved.title = "saved"
        store.insert(saved)
        store.insert(deleted)
        try store.save()
        backend.order { $0.commitsWait = true }
    }

    /// Edits, inserts and deletes, and a save of them that waits.
    private func begin() async throws -> (save: Task<Void, any Error>, inserted: Bookcase) {
        let inserted = Bookcase()
        inserted.title = "inserted"
        store.insert(inserted)
        saved.title = "changed"
        try store.delete(deleted)
        let store = store
        let save = Task { try await store.saveInBackground() }
        while store.backgroundSave == nil { await Task.yield() }
        return (save, inserted)
    }

    private func titles() throws -> [String] {
        try Store(backend: backend, classes: volumeClasses).objects(of: Bookcase.self).map(\.title)
    }

    /// While its own save was under way, it did not catch up.
    @Test func aStoreCatchesUpByItselfAfterASaveThatFailed() async throws {
        let backend = FaultyBackend(isolatesCommits: true)
        let store = try Store(backend: backend, classes: volumeClasses)
        let bookcase = Bookcase()
        store.insert(bookcase)
        try store.save()
        store.refreshesAutomatically = true
        backend.order { $0.commitsWait = true }
        bookcase.title = "lost"
        let save = Task { try await store.saveInBackground() }
        while store.backgroundSave == nil { await Task.yield() }
        let other = try Store(backend: backend.inner, classes: volumeClasses)
        other.insert(Volume())
        try other.save()
        for _ in 0..<20 { await Task.yield() }
        backend.order { ($0.commitFails, $0.commitsWait) = (true, false) }
        await #expect(throws: BackendError.self) { try await save.value }
        for _ in 0..<1000 where try store.count(of: Volume.self) == 0 {
            try await Task.sleep(for: .milliseconds(1))
        }
        #expect(try store.count(of: Volume.self) == 1)
        #expect(bookcase.title == "lost" && bookcase.isChanged)
        store.refreshesAutomatically = false
    }

    @Test func laterEditsWaitForALaterSave() async throws {
        let (save, inserted) = try await begin()
        #expect(!store.hasChanges)
        saved.title = "later"
        inserted.title = "later, too"
        let another = Bookcase()
        another.title = "another"
        store.insert(another)
        #expect(store.hasChanges && saved.title == "later")
        backend.order { $0.commitsWait = false }
        try await save.value
        #expect(store.hasChanges)
        #expect(try titles() == ["changed", "inserted"])
        #expect(try store.objects(of: Bookcase.self).count == 3)
        try store.save()
        #expect(try titles() == ["later", "later, too", "another"])
        #expect(deleted.isDeleted)
    }

    @Test func afterAFailureAllIsPendingUnderLaterEdits() async throws {
        backend.order { $0.commitFails = true }
        let (save, inserted) = try await begin()
        inserted.year = 7
        backend.order { $0.commitsWait = false }
        await #expect(throws: FaultyBackend.failure) { try await save.value }
        #expect(store.hasChanges && deleted.isDeleted)
        #expect(try store.objects(of: Bookcase.self).map(\.title) == ["changed", "inserted"])
        #expect(try titles() == ["saved", ""])
        backend.order { $0.commitFails = false }
        try store.save()
        #expect(try titles() == ["changed", "inserted"])
        #expect(inserted.year == 7 && !store.hasChanges)
    }

    @Test func aRollbackAfterAFailureDropsAll() async throws {
        backend.order { $0.commitFails = true }
        let (save, inserted) = try await begin()
        saved.title = "later"
        backend.order { $0.commitsWait = false }
        await #expect(throws: FaultyBackend.failure) { try await save.value }
        store.rollback()
        #expect(saved.title == "saved" && !deleted.isDeleted && inserted.objectID == nil)
        #expect(!store.hasChanges)
    }

    @Test func otherCallsWaitForTheEnd() async throws {
        let (save, inserted) = try await begin()
        let backend = backend
        Task.detached {
            try await Task.sleep(for: .milliseconds(20))
            backend.order { $0.commitsWait = false }
        }
        // Blocks until the other thread has made the commit.
        #expect(try store.count(of: Bookcase.self) == 2)
        #expect(store.backgroundSave == nil && inserted.objectID != nil)
        try await save.value
        #expect(try titles() == ["changed", "inserted"])
    }

    @Test func undoReachesBackAcrossTheSave() async throws {
        store.undoHistory.isEnabled = true
        saved.year = 1
        let (save, _) = try await begin()
        saved.title = "later"
        backend.order { $0.commitsWait = false }
        try await save.value
        store.rollback()
        #expect(saved.title == "changed")
        while try store.undoHistory.undo() {}
        #expect(saved.title == "saved" && saved.year == 0)
    }

    /// Steps that the limit took away during the save were counted as if they were there.
    @Test func aRollbackForgetsTheStepsSinceTheSaveWhereOlderOnesWereDropped() async throws {
        store.undoHistory.isEnabled = true
        store.undoHistory.stepLimit = 3
        saved.year = 3
        let (save, _) = try await begin()
        saved.year = 10
        saved.year = 11
        backend.order { $0.commitsWait = false }
        try await save.value
        store.rollback()
        #expect(saved.year == 3 && deleted.isDeleted)
        try store.undoHistory.undo()
        #expect(saved.year == 3 && !deleted.isDeleted)
        // Those that went for later ones are back, as after `save()`; one went before.
        while try store.undoHistory.undo() {}
        #expect(saved.year == 3 && saved.title == "saved" && !deleted.isDeleted)
    }

    @Test func aConflictIsFoundAndNothingIsSaved() async throws {
        let container = StoreContainer(inMemory: volumeClasses)
        let (one, two) = (try container.makeStore(), try container.makeStore())
        let mine = Bookcase()
        one.insert(mine)
        try await one.saveInBackground()
        try two.refresh()
        try #require(try two.objects(of: Bookcase.self).first).year = 2
        try await two.saveInBackground()
        mine.year = 1
        await #expect(throws: StoreError.self) { try await one.saveInBackground() }
        #expect(mine.year == 1 && one.hasChanges)
        try one.save(onConflict: .mine)
        try two.refresh()
        #expect(try two.objects(of: Bookcase.self).first?.year == 1)
    }

    @Test func manyObjectsAreInTheFilesAfterwards() async throws {
        let temporary = try TemporaryStore(volumeClasses, durability: .full)
        for number in 0..<20_000 {
            let volume = Volume()
            volume.title = "\(number)"
            temporary.store.insert(volume)
        }
        try await temporary.store.saveInBackground()
        #expect(!temporary.store.hasChanges)
        #expect(try temporary.reopen().count(of: Volume.self) == 20_000)
    }
}
