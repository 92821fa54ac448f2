import CabinetBackend
import CabinetMemory
import Foundation
import Testing
import TrustSupport

@testable import Cabinet
@testable import CabinetTestSupport

#if SQLite
    import CabinetSQLite
#endif

private final class Sleeve: StoredObject {
    @Field var text = ""

    convenience init(_ text: String) {
        self.init()
        self.text = text
    }

    static func texts(_ store: Store) throws -> [String] {
        try store.refresh()
        return try store.objects(of: Sleeve.self).map(\.text).sorted()
    }
}

private final class Begun: StoredObject {
    @Field var number = 0
    var whileValidating: () throws -> Void = {}

    override func validate() throws { try whileValidating() }
}

/// Migrations while other stores over the same data save, and migrate.
struct MigratingBesideOthersTests {
    private static func open(_ backend: any Backend, _ migrations: [Migration]) throws -> Store {
        try Store(backend: backend, classes: [Sleeve.self], migrations: migrations)
    }

    /// Once, it ran over what the store had read before.
    @Test(arguments: [false, true])
    func aMigrationFindsWhatOthersHaveSaved(bySave: Bool) async throws {
        let backend = MemoryBackend()
        let other = try Self.open(backend, [])
        other.insert(Sleeve("first"))
        try other.save()
        let mark = Migration("mark") { store, _ in
            for sleeve in try store.objects(of: Sleeve.self) { sleeve.text += "!" }
        }
        let store = try Self.open(backend, [mark])
        other.insert(Sleeve("second"))
        try other.save()
        if bySave { try store.save() } else { try await store.migrate() }
        #expect(try Sleeve.texts(store) == ["first!", "second!"])
    }

    #if SQLite
        /// Adds a sleeve, or changes those that are there, and either way says so by its name.
        private static func migration(
            _ name: String, adding: Bool, before: @escaping @Sendable () throws -> Void = {}
        ) -> Migration {
            Migration(name) { store, _ in
                try before()
                if adding { return store.insert(Sleeve(name)) }
                for sleeve in try store.objects(of: Sleeve.self) { sleeve.text += name }
            }
        }

        private static func open(_ directory: TemporaryDirectory) throws -> SQLiteBackend {
            try SQLiteBackend(path: directory.path + "Store.sqlite", durability: .process)
        }

        /// Once, what both added was there twice, and what both changed was a conflict.
        @Test(arguments: [false, true], [false, true])
        func aMigrationRunsOnceInAllPrograms(adding: Bool, bySave: Bool) async throws {
            let directory = try TemporaryDirectory()
            let (mine, theirs) = (try Self.open(directory), try Self.open(directory))
            let first = try Self.open(mine, [])
            first.insert(Sleeve("x"))
            try first.save()
            let calls = Guarded(0)
            // While the first call runs, another program runs it, too.
            let migration = Self.migration("a", adding: adding) {
                let call = calls.withLock { calls in
                    calls += 1
                    return calls
                }
                if call > 1 { return }
                try Self.open(theirs, [Self.migration("a", adding: adding)]).save()
            }
            let next = Self.migration("b", adding: true)
            let store = try Self.open(mine, [migration, next])
            if bySave { try store.save() } else { try await store.migrate() }
            #expect(calls.withLock { $0 } == 1)
            #expect(try store.pendingMigrations() == [])
            #expect(try Sleeve.texts(store) == (adding ? ["a", "b", "x"] : ["b", "xa"]))
            #expect(try Sleeve.texts(Self.open(theirs, [])) == Sleeve.texts(store))
        }

        /// Once, it noted that it needs none, over what the older program had saved.
        @Test func aStoreThatAnOlderProgramHasBegunIsMigrated() throws {
            let directory = try TemporaryDirectory()
            let (mine, theirs) = (try Self.open(directory), try Self.open(directory))
            let isFirst = Guarded(true)
            let store = try Store(
                backend: mine, classes: [Sleeve.self, Begun.self],
                migrations: [Self.migration("!", adding: false)])
            let begun = Begun()
            begun.whileValidating = {
                let isNow = isFirst.withLock { isFirst in
                    defer { isFirst = false }
                    return isFirst
                }
                guard isNow else { return }
                let other = try Self.open(theirs, [])
                other.insert(Sleeve("old"))
                try other.save()
            }
            store.insert(begun)
            try store.save()
            #expect(try Sleeve.texts(store) == ["old!"])
            #expect(try store.count(of: Begun.self) == 1)
        }

        @Test(arguments: RunSetting.seeds(48))
        func migrationsRunOnceWhateverTheOrderOfPrograms(_ seed: UInt64) throws {
            let directory = try TemporaryDirectory()
            let backends = try (0..<3).map { _ in try Self.open(directory) }
            let first = try Self.open(backends[0], [])
            for number in 0..<3 { first.insert(Sleeve("\(number)")) }
            try first.save()
            var random = SeededRandom(seed: seed)
            let adds = (0..<4).map { _ in random.next() & 1 == 0 }
            let pauses = (0..<3).map { _ in (0..<4).map { _ in random.below(3000) } }
            try inParallel(3) { index in
                let migrations = adds.indices.map { number in
                    Self.migration("\(number)", adding: adds[number]) {
                        usleep(UInt32(pauses[index][number]))
                    }
                }
                let store = try Self.open(backends[index], migrations)
                // One after the other, or all in one save.
                for count in 1...4 where index > 0 || count == 4 {
                    let some = try Self.open(backends[index], Array(migrations.prefix(count)))
                    try some.save()
                    try some.close()
                }
                try store.save()
                try store.close()
            }
            var expected = ["0", "1", "2"]
            for (number, isAdded) in adds.enumerated() {
                if isAdded {
                    expected.append("\(number)")
                } else {
                    expected = expected.map { $0 + "\(number)" }
                }
            }
            let backend = try Self.open(directory)
            #expect(try Sleeve.texts(Self.open(backend, [])) == expected.sorted(), "seed \(seed)")
        }
    #endif
}
