#if SQLite
    import CabinetBackend
    import CabinetMemory
    import CabinetSQLite
    import CabinetTestSupport
    import CabinetTokyo
    import Foundation
    import Testing
    import TrustSupport

    @testable import Cabinet

    /// Stores over SQLite's engine: what holds of stores side by side in one process holds of several.
    struct SQLiteStoreTests {
        private func open(_ directory: TemporaryDirectory) throws -> SQLiteBackend {
            try SQLiteBackend(path: directory.path + "Store.sqlite", durability: .process)
        }

        /// Each of three stores has a backend of its own, as three processes have.
        @Test(arguments: RunSetting.seeds(240))
        func noUpdateIsLostWhateverTheOrderOfSaves(_ seed: UInt64) async throws {
            let directory = try TemporaryDirectory()
            let backends = try (0..<3).map { _ in try open(directory) }
            let isLong = seed % 30 == 0
            var stores = try InterleavedStores(
                backends[0], seed: seed, recording: seed % 4 < 2, others: Array(backends[1...]))
            for _ in 0..<(isLong ? 200 : 20) { try stores.step() }
            try backends[0].refresh()
            let report = try await StoreSchema.check(backends[0])
            #expect(report.findings == [], "seed \(seed)")
            stores.end()
        }

        @Test(arguments: RunSetting.seeds(64))
        func bothSidesAgreeAfterEverySaveByEveryPolicy(_ seed: UInt64) async throws {
            let directory = try TemporaryDirectory()
            var stores = try ClubStores(
                open(directory), seed: seed, recording: seed % 4 < 2)
            try await stores.run(28)
        }

        /// What three stores save, each with a backend of its own, stands in the columns that tools read.
        @Test(arguments: RunSetting.seeds(24))
        func columnsFollowFromRecordsWhateverIsSaved(_ seed: UInt64) throws {
            let directory = try TemporaryDirectory()
            let backends = try (0..<3).map { _ in try open(directory) }
            var stores = try InterleavedStores(
                backends[0], seed: seed, recording: seed % 4 < 2, others: Array(backends[1...]))
            // Before or after some of the rows were written.
            let beginning = Int(seed % 3) * 6
            for step in 0..<30 {
                if step == beginning { try backends[Int(seed % 2)].showColumns() }
                try stores.step()
                if step >= beginning { try expectColumns(backends[2], "seed \(seed), \(step)") }
            }
            stores.end()
        }

        private func expectColumns(_ backend: SQLiteBackend, _ place: Comment) throws {
            try backend.refresh()
            // A class has a view from its first object on.
            let names = Set(try backend.tables().map(\.name))
            guard names.isSuperset(of: ["Volume", "Bookcase"]) else { return }
            let store = try Store(backend: backend, classes: volumeClasses)
            let volumes = try store.objects(of: Volume.self).sorted { $0.rowID < $1.rowID }
            let shown = try backend.sql(
                "SELECT row, title, seconds, bookcase FROM Volume ORDER BY row"
            ).rows
            #expect(
                shown
                    == volumes.map {
                        [
                            .integer(Int64($0.rowID.rawValue)), .text($0.title),
                            .integer(Int64($0.seconds)),
                            $0.bookcase.map { .integer(Int64($0.rowID.rawValue)) } ?? .none,
                        ]
                    }, place)
            let cases = try store.objects(of: Bookcase.self).sorted { $0.rowID < $1.rowID }
            let lists = try backend.sql("SELECT volumes FROM Bookcase ORDER BY row").rows
            #expect(
                lists
                    == cases.map { bookcase in
                        let rows = bookcase.volumes.map { "\($0.rowID)" }
                        return [.text("[" + rows.joined(separator: ",") + "]")]
                    }, place)
        }

        /// Whatever the engine, the same steps make the same store, byte for byte.
        @Test(arguments: RunSetting.seeds(40))
        func enginesHoldTheSame(_ seed: UInt64) throws {
            let directory = try TemporaryDirectory()
            let engines: [any Backend] = [
                MemoryBackend(), try open(directory),
                try TokyoBackend(path: directory.path + "Store", durability: .process),
            ]
            let exports = try engines.map { backend in
                var stores = try InterleavedStores(backend, seed: seed, recording: seed % 2 == 0)
                for _ in 0..<120 { try stores.step() }
                stores.end()
                let store = try Store(backend: backend, classes: volumeClasses)
                let file = directory.url.appending(path: "\(UUID().uuidString).json")
                _ = try store.json.export(to: file)
                return try Data(contentsOf: file)
            }
            #expect(exports[1] == exports[0], "seed \(seed)")
            #expect(exports[2] == exports[0], "seed \(seed)")
        }

        @Test func aSaveOfAnotherProcessIsTakenUpOrConflicts() throws {
            let directory = try TemporaryDirectory()
            let (one, two) = (
                try Store(backend: open(directory), classes: volumeClasses),
                try Store(backend: open(directory), classes: volumeClasses)
            )
            let volume = Volume()
            one.insert(volume)
            volume.title = "first"
            try one.save()
            try two.refresh()
            let other = try #require(try two.object(Volume.self, rowID: volume.rowID))
            #expect(other.title == "first")
            other.title = "second"
            try two.save()
            volume.title = "third"
            #expect(throws: StoreError.self) { try one.save() }
            one.rollback()
            try one.refresh()
            #expect(volume.title == "second")
        }
    }
#endif
