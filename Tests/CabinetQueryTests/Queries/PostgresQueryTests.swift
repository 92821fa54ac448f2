#if PostgreSQL
    import CabinetPostgreSQL
    import Testing
    import TrustSupport

    @Suite(.enabled(if: PostgresServer.isInstalled))
    struct PostgresQueryTests {
        /// As for stores in memory: all answers are compared with plain Swift.
        @Test(arguments: RunSetting.seeds(8))
        func everyAnswerIsThatOfPlainSwift(_ seed: UInt64) throws {
            let server = try #require(PostgresServer.shared)
            let address = server.newStore()
            let model = try QueryModel(seed: seed) {
                try PostgresBackend(address, durability: .process)
            }
            do {
                for _ in 0..<12 { try model.step(queries: 4) }
            } catch {
                Issue.record("seed \(seed): \(error)")
            }
        }
    }
#endif
