import CabinetMemory
import CabinetTestSupport
import CabinetTokyo
import Foundation
import Testing

@testable import Cabinet
@testable import CabinetTestModel

/// Which migrations run, when, and how often.
struct MigratingTests {
    let backend = MemoryBackend()

    private func open(_ migrations: [Migration]) throws -> Store {
        try Store(backend: backend, classes: Performed.classes, migrations: migrations)
    }

    /// Adds its name to those under "done".
    private func noting(_ name: String) -> Migration {
        Migration(name) { store, _ in
            let done = try store.namedBuffers.buffer(for: "done")?.readString() ?? ""
            let buffer = DataBuffer()
            buffer.writeString(done + name + " ")
            store.namedBuffers["done"] = buffer
        }
    }

    private func done(_ store: Store) throws -> String {
        try store.namedBuffers.buffer(for: "done")?.readString() ?? ""
    }

    final class Checked: StoredObject {
        @Field var number = 0
        override func validate() throws {}
    }

    @Test func oneThatFindsNothingToDoIsNotRunAgainWhereClassesValidate() async throws {
        func open(_ migrations: [Migration]) throws -> Store {
            try Store(backend: backend, classes: [Checked.self], migrations: migrations)
        }
        let store = try open([])
        store.insert(Checked())
        try store.save()
        let idle = Migration("nothing to do") { _, _ in }
        try await open([idle]).migrate()
        #expect(try open([idle]).pendingMigrations() == [])
    }

    @Test func aClassUnderItsFormerNameIsNotDropped() throws {
        final class Renamed: StoredObject {
            @Field var number = 0
            override class var formerStorageNames: [String] { ["Checked"] }
        }
        let store = try Store(backend: backend, classes: [Checked.self])
        store.insert(Checked())
        try store.save()
        #expect(throws: StoreError.self) {
            _ = try Store(
                backend: backend, classes: [Renamed.self],
                migrations: [Migration("drop", dropping: ["Checked"]) { _, _ in }])
        }
    }

    @Test func eachRunsOnceAndInOrder() async throws {
        try Performed.fill(backend)
        let first = [noting("a"), noting("b")]
        let store = try open(first)
        #expect(try store.pendingMigrations() == ["a", "b"])
        try await store.migrate()
        #expect(try done(store) == "a b ")
        #expect(try store.pendingMigrations() == [])
        try await store.migrate()
        #expect(try done(store) == "a b ")

        // One of a later version may stand anywhere in the list.
        let again = try open([noting("c")] + first + [noting("d")])
        #expect(try again.pendingMigrations() == ["c", "d"])
        try await again.migrate()
        #expect(try done(again) == "a b c d ")
        #expect(try done(open([])) == "a b c d ")
    }

    @Test func whatNoSingleObjectDecidesIsSavedWithTheName() async throws {
        try Performed.fill(backend)
        let store = try open([Performed.split])
        let progress = Progress(totalUnitCount: 0)
        try await store.migrate(progress: progress)
        #expect(progress.isFinished)
        #expect(!store.hasChanges)
        #expect(try Performed.summary(store) == Performed.result)
        let again = try open([Performed.split])
        #expect(try again.pendingMigrations() == [])
        #expect(try Performed.summary(again) == Performed.result)
        let report = try await again.check()
        #expect(report.isSound, "\(report.findings)")
    }

    @Test func openingRunsNone() throws {
        try Performed.fill(backend)
        let refusing = Migration("refuses") { _, _ in Issue.record("was run") }
        let store = try open([refusing])
        #expect(try store.count(of: Performed.Track.self) == 4)
        #expect(store.migrations.map(\.name) == ["refuses"])
        #expect(!store.hasChanges)
    }

    @Test func aNewStoreNeedsNone() async throws {
        let refusing = Migration("refuses") { _, _ in Issue.record("was run") }
        let store = try open([refusing])
        #expect(try store.pendingMigrations() == [])
        try await store.migrate()
        try store.save()
        #expect(try backend.catalogEntry("migration.refuses") == nil)
        store.insert(Performed.Performer("Nina"))
        try store.save()
        #expect(try backend.catalogEntry("migration.refuses") == Array("new".utf8))
        let again = try open([refusing, noting("later")])
        #expect(try again.pendingMigrations() == ["later"])
        try await again.migrate()
        #expect(try done(again) == "later ")
    }

    @Test func aStoreOfNamedBuffersIsNotNew() async throws {
        let first = try open([])
        first.namedBuffers["done"] = {
            let buffer = DataBuffer()
            buffer.writeString("first ")
            return buffer
        }()
        try first.save()
        let store = try open([noting("a")])
        try await store.migrate()
        #expect(try done(store) == "first a ")
    }

    @Test func namesOfANewerProgramStay() async throws {
        try Performed.fill(backend)
        try await open([noting("a"), noting("of the newer one")]).migrate()
        let older = try open([noting("a")])
        try await older.migrate()
        older.insert(Performed.Performer("Otis"))
        try older.save()
        #expect(try open([noting("of the newer one")]).pendingMigrations() == [])
    }

    @Test func theFirstSaveRunsAllInOneSaveWithWhatIsPending() throws {
        let faulty = FaultyBackend(backend)
        try Performed.fill(backend)
        let store = try Store(
            backend: faulty, classes: Performed.classes,
            migrations: [noting("a"), Performed.split, noting("b")])
        try store.objects(of: Performed.Track.self).first?.performer = "Otis"
        faulty.order { $0.commitsLeft = 1 }
        try store.save()
        let again = try open([noting("a")])
        #expect(try done(again) == "a b ")
        #expect(
            try Performed.summary(again) == ["Nina: track 2", "Otis: track 0, track 1, track 3"])
        #expect(try store.pendingMigrations() == [])
    }

    @Test func aSaveWithoutChangesRunsThemToo() throws {
        try Performed.fill(backend)
        let store = try open([noting("a")])
        try store.save()
        #expect(try done(open([])) == "a ")
    }

    @Test func whatIsPendingIsSavedWithTheMigration() async throws {
        try Performed.fill(backend)
        let store = try open([Performed.split])
        store.insert(Performed.Performer("Etta"))
        try await store.migrate()
        #expect(!store.hasChanges)
        #expect(try Performed.summary(open([])) == ["Etta: "] + Performed.result)
    }

    @Test func rewritingOldRecordsRunsNone() throws {
        try Performed.fill(backend)
        let store = try open([noting("a")])
        #expect(try store.upgradeAll() == 4)
        #expect(try store.pendingMigrations() == ["a"])
    }

    @Test func ofTwoStoresOneRunsThem() async throws {
        try Performed.fill(backend)
        let (one, other) = (try open([noting("a")]), try open([noting("a")]))
        #expect(try other.pendingMigrations() == ["a"])
        try await one.migrate()
        try await other.migrate()
        #expect(try done(open([])) == "a ")
    }

    @Test func whileOneStoreMigratesAnotherOneCannot() async throws {
        try Performed.fill(backend)
        let backend = backend
        let store = try open([
            Migration("a") { _, _ in
                let other = try Store(
                    backend: backend, classes: Performed.classes,
                    migrations: [Migration("a") { _, _ in Issue.record("was run") }])
                #expect(throws: StoreError.migrationUnderWay) { try other.save() }
                // One without migrations is not concerned.
                try Store(backend: backend, classes: Performed.classes).save()
            }
        ])
        try await store.migrate()
        #expect(try store.pendingMigrations() == [])
    }

    @Test func aStoreThatIsReadOnlyStaysAsItIs() async throws {
        let temporary = try TemporaryStore(Performed.classes)
        temporary.store.insert(Performed.Performer("Nina"))
        try temporary.store.save()
        try temporary.close()
        let store = try Store(
            directory: temporary.directory, classes: Performed.classes, migrations: [noting("a")],
            access: .readOnly)
        defer { try? store.close() }
        #expect(try store.pendingMigrations() == ["a"])
        await #expect(throws: BackendError.self) { try await store.migrate() }
        try store.save()
        #expect(try store.objects(of: Performed.Performer.self).map(\.name) == ["Nina"])
    }

    @Test func namesThatCannotBeAreRefusedAtOpening() throws {
        func refuses(_ migrations: [Migration]) -> Bool {
            do {
                _ = try open(migrations)
                return false
            } catch StoreError.badMigration {
                return true
            } catch {
                Issue.record(error)
                return false
            }
        }
        let long = String(repeating: "n", count: 201)
        #expect(refuses([noting("")]))
        #expect(refuses([noting(long)]))
        #expect(refuses([noting("a"), noting("b"), noting("a")]))
        #expect(refuses([Migration("drop", dropping: ["performer"]) { _, _ in }]))
        #expect(!refuses([noting(String(long.dropLast())), noting("ä. /")]))
    }

    @Test func aClosedStoreSaysSo() async throws {
        let store = try open([noting("a")])
        try store.close()
        #expect(throws: StoreError.closed) { try store.pendingMigrations() }
        await #expect(throws: StoreError.closed) { try await store.migrate() }
    }
}
