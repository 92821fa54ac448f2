import CabinetMemory
import CabinetTestSupport
import CabinetTokyo
import Foundation
import Testing
import TrustSupport

@testable import Cabinet
@testable import CabinetTestModel

private struct Trouble: Error {}

/// A migration that does not come to its end leaves nothing behind.
struct FailedMigrationTests {
    let backend = FaultyBackend()

    private func open(_ migrations: [Migration]) throws -> Store {
        try Store(backend: backend, classes: Performed.classes, migrations: migrations)
    }

    private static let failing = Migration("fails") { store, progress in
        try Performed.split.body(store, progress)
        store.namedBuffers["failing"] = DataBuffer()
        throw Trouble()
    }

    @Test func itsErrorNamesItAndTheStoreGoesOn() async throws {
        try Performed.fill(backend)
        let note = Migration("before") { store, _ in store.insert(Performed.Performer("Etta")) }
        let store = try open([note, Self.failing])
        do {
            try await store.migrate()
            Issue.record("no error")
        } catch StoreError.migrationFailed(let failure) {
            #expect(failure.migration == "fails")
            #expect(failure.error is Trouble)
            #expect("\(failure)".contains("fails"))
        }
        #expect(!store.hasChanges)
        #expect(store.namedBuffers["failing"] == nil)
        #expect(try Performed.summary(store) == ["Etta: "])
        #expect(try store.pendingMigrations() == ["fails"])
        // The one before it was saved.
        let mended = try open([note, Performed.split])
        #expect(try mended.pendingMigrations() == [Performed.split.name])
        try await mended.migrate()
        #expect(try Performed.summary(mended) == ["Etta: "] + Performed.result)
    }

    @Test func aSaveThatFailsByOneKeepsWhatWasPending() throws {
        try Performed.fill(backend)
        let store = try open([Self.failing])
        let tracks = try store.objects(of: Performed.Track.self)
        (tracks[0].title, tracks[1].performer) = ("mine", "Etta")
        try store.delete(tracks[3])
        let performer = Performed.Performer("Sam")
        store.insert(performer)
        performer.tracks = [tracks[2]]
        store.namedBuffers["mine"] = DataBuffer()
        #expect(throws: StoreError.self) { try store.save() }
        #expect(store.hasChanges)
        #expect(tracks.map(\.title) == ["mine", "track 1", "track 2", "track 3"])
        #expect(tracks[2].by === performer && tracks[0].by == nil)
        #expect(tracks[3].isDeleted)
        #expect(store.namedBuffers["failing"] == nil && store.namedBuffers["mine"] != nil)
        #expect(try Performed.summary(store) == ["Sam: track 2"])

        store.rollback()
        #expect(try store.objects(of: Performed.Track.self).map(\.title).first == "track 0")
        #expect(try store.namedBuffers.all() == [])
    }

    @Test(arguments: [false, true]) func aCommitThatFailsTakesItBack(withChanges: Bool) async throws
    {
        try Performed.fill(backend)
        let store = try open([Performed.split])
        if withChanges { store.insert(Performed.Performer("Etta")) }
        let mine = withChanges ? ["Etta: "] : []
        backend.order { $0.commitFails = true }
        await #expect(throws: FaultyBackend.failure) { try await store.migrate() }
        #expect(throws: FaultyBackend.failure) { try store.save() }
        #expect(store.hasChanges == withChanges)
        #expect(try Performed.summary(store) == mine)
        #expect(try store.pendingMigrations() == [Performed.split.name])
        backend.order { $0.commitFails = false }
        try await store.migrate()
        #expect(try Performed.summary(open([])) == mine + Performed.result)
        #expect(backend.order { $0.unended.isEmpty && $0.endedTwice == 0 })
    }

    @Test func anObjectThatCannotBeInsertedFailsIt() async throws {
        try Performed.fill(backend)
        let store = try open([Migration("a") { store, _ in store.insert(Node("not registered")) }])
        await #expect(throws: StoreError.self) { try await store.migrate() }
        store.insert(Performed.Performer("Nina"))
        #expect(throws: StoreError.self) { try store.save() }
        let other = try open([])
        other.insert(Performed.Performer("Nina"))
        try other.save()
    }

    @Test(arguments: [false, true]) func cancellingTakesTheRunningOneBack(early: Bool) async throws
    {
        try Performed.fill(backend)
        let progress = Progress(totalUnitCount: 0)
        let second = Migration("second") { store, part in
            try Performed.split.body(store, Progress(totalUnitCount: 1))
            progress.cancel()
            #expect(part.isCancelled)
            if early { throw CancellationError() }
        }
        let store = try open([Migration("first") { _, _ in }, second])
        await #expect(throws: CancellationError.self) {
            try await store.migrate(progress: progress)
        }
        #expect(!store.hasChanges)
        #expect(try Performed.summary(store) == [])
        #expect(try store.pendingMigrations() == ["second"])
    }

    @Test func aCancelledTaskRunsNone() async throws {
        try Performed.fill(backend)
        let backend = backend
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            let store = try Store(
                backend: backend, classes: Performed.classes, migrations: [Performed.split])
            try await store.migrate()
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try open([Performed.split]).pendingMigrations() == [Performed.split.name])
    }

    @Test func itCannotSave() async throws {
        try Performed.fill(backend)
        let store = try open([
            Migration("saves") { store, _ in
                store.insert(Performed.Performer("Nina"))
                #expect(throws: StoreError.stepUnderWay) { try store.save() }
                #expect(throws: StoreError.stepUnderWay) { try store.upgradeAll() }
                #expect(throws: StoreError.stepUnderWay) { try store.undoHistory.undo() }
                #expect(throws: StoreError.stepUnderWay) { try store.close() }
            }
        ])
        try await store.migrate()
        #expect(try Performed.summary(open([])) == ["Nina: "])
    }

    @Test func itIsNoStepOfUndo() async throws {
        try Performed.fill(backend)
        let store = try open([Self.failing])
        store.undoHistory.isEnabled = true
        let track = try #require(try store.objects(of: Performed.Track.self).first)
        track.title = "mine"
        // One that fails leaves the steps as they are.
        await #expect(throws: StoreError.self) { try await store.migrate() }
        #expect(try store.undoHistory.undo())
        #expect(track.title == "track 0")

        let other = try open([Performed.split])
        other.undoHistory.isEnabled = true
        try other.objects(of: Performed.Track.self).first?.title = "mine"
        try await other.migrate()
        #expect(!other.undoHistory.canUndo && other.undoHistory.isEnabled)
        try other.objects(of: Performed.Track.self).first?.title = "yours"
        #expect(try other.undoHistory.undo())
        #expect(try other.objects(of: Performed.Track.self).first?.title == "mine")
    }

    /// Any pending changes, any changes by the migration, then an error: all is as before.
    @Test func afterAnyHistoryNothingOfItIsLeft() throws {
        for seed in 1...60 as ClosedRange<UInt64> {
            let backend = MemoryBackend()
            let classes: [StoredObject.Type] = [Song.self, Playlist.self, Node.self]
            let editor = RandomEdits(seed: seed)
            let first = try Store(backend: backend, classes: classes)
            try editor.change(first, times: 30)
            try first.save()
            let failing = Migration("fails") { store, _ in
                try RandomEdits(seed: seed + 1000).change(store, times: 30)
                throw Trouble()
            }
            let store = try Store(backend: backend, classes: classes, migrations: [failing])
            store.undoHistory.isEnabled = seed.isMultiple(of: 3)
            if seed.isMultiple(of: 2) { try editor.change(store, times: 20) }
            let before = try World(store)
            #expect(throws: StoreError.self) { try store.save() }
            #expect(try World(store) == before, "seed \(seed)")
            // What stayed pending can be saved by a program that has no such migration.
            store.awaitsMigrations = false
            try store.save()
            let again = try Store(backend: backend, classes: classes)
            #expect(try World(again) == before, "seed \(seed): saved")
        }
    }

    /// At each operation of the files in turn, the process dies: the name and the changes are
    /// there, or neither is.
    @Test func aKillInTheMiddleLeavesAllOrNothing() async throws {
        var outcomes: Set<Bool> = []
        for operation in 0... {
            let directory = try TemporaryDirectory()
            try withStore(directory.path) { try Performed.fill($0) }
            let files = FaultyFiles()
            let dying = try TokyoBackend(path: directory.path, files: files)
            files.replacePlan { index, _, _ in index == operation ? .killed : nil }
            let store = try Store(
                backend: dying, classes: Performed.classes, migrations: [Performed.split])
            let failed: Bool
            do {
                try await store.migrate()
                failed = false
            } catch {
                failed = true
            }
            let isReached = files.count > operation
            files.replacePlan { _, _, _ in .killed }
            try? dying.abandon()
            try withStore(directory.path) { backend in
                let again = try Store(
                    backend: backend, classes: Performed.classes, migrations: [Performed.split])
                let isDone = try again.pendingMigrations().isEmpty
                outcomes.insert(isDone)
                #expect(isDone || failed, "operation \(operation)")
                #expect(
                    try Performed.summary(again) == (isDone ? Performed.result : []),
                    "operation \(operation)")
            }
            if !isReached { break }
        }
        #expect(outcomes == [true, false])
    }

    private func withStore(_ path: String, _ body: (TokyoBackend) throws -> Void) throws {
        let backend = try TokyoBackend(path: path, durability: .process)
        try body(backend)
        try backend.close()
    }
}

/// Changes objects of any kind, the same for the same seed and store.
final class RandomEdits {
    private var random: SeededRandom

    init(seed: UInt64) { random = SeededRandom(seed: seed) }

    func change(_ store: Store, times: Int) throws {
        for _ in 0..<times {
            let songs = try store.objects(of: Song.self)
            let lists = try store.objects(of: Playlist.self)
            let nodes = try store.objects(of: Node.self)
            switch Int.random(in: 0..<9, using: &random) {
            case 0:
                let song = Song()
                song.title = "song \(Int.random(in: 0..<100, using: &random))"
                store.insert(song)
            case 1:
                let list = Playlist()
                list.songs = songs.shuffled(using: &random)
                store.insert(list)
            case 2: store.insert(Node("node", Array(nodes.shuffled(using: &random).prefix(2))))
            case 3: songs.randomElement(using: &random)?.seconds += 1
            case 4: songs.randomElement(using: &random)?.title += "!"
            case 5:
                lists.randomElement(using: &random)?.songs = songs.shuffled(using: &random)
            case 6: nodes.randomElement(using: &random)?.children = nodes.shuffled(using: &random)
            case 7: try songs.randomElement(using: &random).map(store.delete)
            default: try lists.randomElement(using: &random).map(store.delete)
            }
        }
    }
}
