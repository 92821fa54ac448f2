#if PostgreSQL
    import CabinetBackend
    import CabinetMemory
    import CabinetPostgreSQL
    import CabinetSQLite
    import CabinetTestSupport
    import CabinetTokyo
    import Foundation
    import Testing
    import TrustSupport

    @testable import Cabinet

    /// Stores over PostgreSQL's engine: what holds of stores side by side in one process holds of several.
    @Suite(.enabled(if: PostgresServer.isInstalled))
    struct PostgresStoreTests {
        private func open(_ address: String) throws -> PostgresBackend {
            try PostgresBackend(address, durability: .process)
        }

        private func newStore() throws -> String {
            try #require(PostgresServer.shared).newStore()
        }

        /// Each of three stores has a backend of its own, as three machines have.
        @Test(arguments: RunSetting.seeds(64))
        func noUpdateIsLostWhateverTheOrderOfSaves(_ seed: UInt64) async throws {
            let address = try newStore()
            let backends = try (0..<3).map { _ in try open(address) }
            var stores = try InterleavedStores(
                backends[0], seed: seed, recording: seed % 4 < 2, others: Array(backends[1...]))
            for _ in 0..<20 { try stores.step() }
            try backends[0].refresh()
            let report = try await StoreSchema.check(backends[0])
            #expect(report.findings == [], "seed \(seed)")
            stores.end()
        }

        @Test(arguments: RunSetting.seeds(16))
        func bothSidesAgreeAfterEverySaveByEveryPolicy(_ seed: UInt64) async throws {
            var stores = try ClubStores(
                open(newStore()), seed: seed, recording: seed % 4 < 2)
            try await stores.run(28)
        }

        /// Whatever the engine, the same steps make the same store, byte for byte.
        @Test(arguments: RunSetting.seeds(16))
        func enginesHoldTheSame(_ seed: UInt64) throws {
            let directory = try TemporaryDirectory()
            var engines: [any Backend] = [
                MemoryBackend(), try open(newStore()),
                try TokyoBackend(path: directory.path + "Store", durability: .process),
            ]
            #if SQLite
                engines.append(
                    try SQLiteBackend(path: directory.path + "Store.sqlite", durability: .process))
            #endif
            let exports = try engines.map { backend in
                var stores = try InterleavedStores(backend, seed: seed, recording: seed % 2 == 0)
                for _ in 0..<60 { try stores.step() }
                stores.end()
                let store = try Store(backend: backend, classes: volumeClasses)
                let file = directory.url.appending(path: "\(UUID().uuidString).json")
                _ = try store.json.export(to: file)
                return try Data(contentsOf: file)
            }
            #expect(exports.allSatisfy { $0 == exports[0] }, "seed \(seed)")
        }
    }
#endif
