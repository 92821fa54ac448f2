#if SQLite
    import CabinetSQLite
    import CabinetTestSupport
    import Testing
    import TrustSupport

    struct SQLiteQueryTests {
        /// As for stores in memory: all answers are compared with plain Swift.
        @Test(arguments: RunSetting.seeds(16))
        func everyAnswerIsThatOfPlainSwift(_ seed: UInt64) throws {
            let directory = try TemporaryDirectory()
            let model = try QueryModel(seed: seed) {
                try SQLiteBackend(path: directory.path + "Store.sqlite", durability: .process)
            }
            do {
                for _ in 0..<12 { try model.step(queries: 4) }
            } catch {
                Issue.record("seed \(seed): \(error)")
            }
        }
    }
#endif
