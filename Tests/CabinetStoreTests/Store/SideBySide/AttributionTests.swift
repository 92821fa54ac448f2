import CabinetBackend
import CabinetMemory
import CabinetTestSupport
import CabinetTokyo
import Foundation
import Testing

@testable import Cabinet
@testable import CabinetTestModel

/// Who makes commits, and what stores note of them.
@MainActor
struct AttributionTests {
    private let directory: TemporaryDirectory
    private let container: StoreContainer
    private let store: Store

    init() throws {
        directory = try TemporaryDirectory()
        container = try StoreContainer(directory: directory.url, classes: volumeClasses)
        store = try container.makeStore()
    }

    private func save(_ title: String, in store: Store) throws {
        let volume = Volume()
        volume.title = title
        store.insert(volume)
        try store.save()
    }

    @Test func aCommitBearsTheAuthorAndTheNotesInAllStoresAndProcesses() async throws {
        let path = directory.url.path(percentEncoded: false)
        var own = container.commits.makeAsyncIterator()
        try save("before", in: store)
        let follower = StoreContainer(
            backend: try TokyoBackend(path: path, files: SystemFiles(), follows: true),
            classes: volumeClasses)
        var foreign = follower.commits.makeAsyncIterator()
        let other = try container.makeStore()
        store.author = "Ünïcode 🎵"
        try store.note("first")
        try store.note("")
        try save("a", in: store)
        other.author = "sync"
        try other.note("of the other")
        try save("b", in: other)
        try save("c", in: store)
        store.author = nil
        try save("d", in: store)
        let expected: [(String?, [String])] = [
            (store.author, []), ("Ünïcode 🎵", ["first", ""]), ("sync", ["of the other"]),
            ("Ünïcode 🎵", []), (nil, []),
        ]
        try follower.backend.refresh()
        for (index, (author, notes)) in expected.enumerated() {
            let commit = try #require(try await own.next())
            #expect(commit.author == author && commit.notes == notes, "\(index)")
            guard index > 0 else { continue }
            #expect(try await foreign.next() == commit)
        }
        try follower.close()
    }

    /// Vectors of the sum's authors, Fowler, Noll and Vo.
    @Test(arguments: [
        ("", 0x811C_9DC5), ("a", 0xE40C_292C), ("foobar", 0xBF9C_F968), ("import", 288_002_260),
    ])
    func aNumberIsASumOverTheText(_ text: String, _ number: UInt32) {
        #expect(AuthorEntry.sum(of: Array(text.utf8)) == number)
    }

    @Test func aTextHasOneNumberInTheStoreForGood() throws {
        for title in ["a", "b"] {
            store.author = "import"
            try save(title, in: store)
            store.author = "user"
            try save(title, in: store)
        }
        try container.close()
        let again = try Store(directory: directory.url, classes: volumeClasses)
        again.author = "import"
        try save("c", in: again)
        let engine = try #require(again.backend as? TokyoBackend)
        var numbers: [UInt32] = []
        try engine.forEachSave { numbers.append($0.author) }
        let imported = AuthorEntry.sum(of: Array("import".utf8))
        let user = AuthorEntry.sum(of: Array("user".utf8))
        #expect(numbers == [imported, user, imported, user, imported])
        #expect(try engine.catalogEntry("author/\(user)") == Array("user".utf8))
        #expect(try engine.author(user) == "user" && engine.author(1) == nil)
        try again.close()
    }

    /// The second one has looked before the first one commits: it finds the number taken.
    @Test(arguments: [true, false])
    func twoStoresThatEnterANumberAtOnceDoNotShareItUnlessTheTextIsTheSame(
        _ isSame: Bool
    ) async throws {
        let backend = FaultyBackend(isolatesCommits: true)
        let store = try Store(backend: backend, classes: volumeClasses)
        let first = try Store(backend: backend.inner, classes: volumeClasses)
        store.insert(Bookcase())
        try store.save()
        try first.refresh()
        let number = AuthorEntry.sum(of: Array("one".utf8))
        backend.order { $0.commitsWait = true }
        store.author = "one"
        try store.note("kept")
        store.insert(Volume())
        let save = Task { try await store.saveInBackground() }
        while store.backgroundSave == nil { await Task.yield() }
        try store.note("later")
        let batch = backend.inner.makeBatch()
        try AuthorEntry.enter(isSame ? "one" : "two", as: number, in: batch)
        batch.author = number
        let taken = try backend.inner.commit(batch)
        backend.order { $0.commitsWait = false }
        try await save.value
        let commit = try #require(try backend.inner.changes(after: taken).next())
        #expect(commit.author == (isSame ? number : number + 1))
        #expect(try backend.inner.author(commit.author) == "one")
        // The save was begun again when the second note was there.
        #expect(try commit.notes.map(\.bytes) == ["kept", "later"].map { Array($0.utf8) })
        #expect(try backend.inner.author(number) == (isSame ? "one" : "two"))
    }

    @Test func notesOfASaveInTheBackgroundThatFailsWaitBeforeLaterOnes() async throws {
        let backend = FaultyBackend()
        let store = try Store(backend: backend, classes: volumeClasses)
        backend.order { ($0.commitsWait, $0.commitFails) = (true, true) }
        store.insert(Volume())
        store.author = "one"
        try store.note("kept")
        let save = Task { try await store.saveInBackground() }
        while store.backgroundSave == nil { await Task.yield() }
        try store.note("later")
        backend.order { $0.commitsWait = false }
        await #expect(throws: FaultyBackend.failure) { try await save.value }
        #expect(throws: FaultyBackend.failure) { try store.save() }
        backend.order { $0.commitFails = false }
        try store.save()
        let commit = try #require(try backend.inner.changes(after: 0).next())
        #expect(try commit.notes.map(\.bytes) == ["kept", "later"].map { Array($0.utf8) })
        #expect(try backend.inner.author(commit.author) == "one")
    }

    @Test func aMergeKeepsTheNotes() throws {
        let store = try container.makeStore()
        let other = try container.makeStore()
        let mine = Bookcase()
        store.insert(mine)
        try store.save()
        try other.refresh()
        let theirs = try #require(try other.objects(of: Bookcase.self).first)
        theirs.title = "theirs"
        try other.save()
        mine.year = 2
        mine.title = "mine"
        try store.note("merged")
        #expect(throws: StoreError.self) { try store.save() }
        try store.save(onConflict: .merge)
        let engine = try #require(store.backend as? TokyoBackend)
        var notes: [[UInt8]] = []
        try engine.forEachSave { notes += $0.notes.map(\.bytes) }
        #expect(notes == [Array("merged".utf8)])
    }

    @Test func aMigrationThatThrowsTakesBackItsNotesOnly() throws {
        struct Refusal: Error {}
        let backend = MemoryBackend()
        try save("a", in: Store(backend: backend, classes: volumeClasses))
        let isRefused = Guarded(true)
        let migration = Migration("noted") { store, _ in
            try store.note("of the migration")
            if isRefused.withLock({ $0 }) { throw Refusal() }
        }
        let store = try Store(
            backend: backend, classes: volumeClasses, migrations: [migration])
        store.insert(Volume())
        try store.note("before")
        #expect(throws: StoreError.self) { try store.save() }
        isRefused.withLock { $0 = false }
        try store.save()
        let commit = try #require(try backend.changes(after: 1).next())
        #expect(
            try commit.notes.map(\.bytes) == ["before", "of the migration"].map { Array($0.utf8) })
    }

    @Test(arguments: ["", String(repeating: "ü", count: 129)])
    func aTextThatCannotBeAnAuthorIsRefusedAndNothingIsLost(_ text: String) throws {
        store.author = text
        try store.note("kept")
        #expect(throws: StoreError.badAuthor(text)) { try save("a", in: store) }
        #expect(store.hasChanges)
        store.author = String(repeating: "ü", count: 128)
        try store.save()
        let engine = try #require(store.backend as? TokyoBackend)
        var notes: [[LoggedNote]] = []
        try engine.forEachSave { notes.append($0.notes) }
        #expect(notes == [[LoggedNote(tag: 1, bytes: Array("kept".utf8))]])
    }

    @Test func aNoteHasALimit() throws {
        try store.note(String(repeating: "x", count: 65_536))
        #expect(throws: BackendError.tooLarge(limit: 65_536)) {
            try store.note(String(repeating: "x", count: 65_537))
        }
        try save("a", in: store)
        try store.close()
        #expect(throws: StoreError.closed) { try store.note("late") }
    }

    @Test func notesGoWithTheChangesThatTheyAreOf() async throws {
        struct Refusal: Error {}
        var commits = container.commits.makeAsyncIterator()
        try store.note("rolled back")
        store.insert(Volume())
        store.rollback()
        try store.note("of nothing")
        try store.save()
        try store.note("before")
        #expect(throws: Refusal.self) {
            try store.undoHistory.group {
                try store.note("of a group that throws")
                throw Refusal()
            }
        }
        try store.undoHistory.group { try store.note("of a group") }
        try save("a", in: store)
        try save("b", in: store)
        #expect(try await commits.next()?.notes == ["before", "of a group"])
        #expect(try await commits.next()?.notes == [])
    }
}
