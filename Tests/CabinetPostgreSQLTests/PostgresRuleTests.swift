#if PostgreSQL
    import CabinetTestSupport
    import Testing
    import TrustSupport

    @Suite(.enabled(if: PostgresServer.isInstalled))
    struct PostgresRuleTests {
        private static let engine = PostgresEngine.engine(.process)

        @Test(arguments: BackendRule.rules(for: engine))
        func engineKeepsRule(_ rule: BackendRule) throws { try rule.check(Self.engine) }

        /// With each commit synced, those rules that commit little.
        @Test(arguments: BackendRule.rules(for: engine).filter(\.needsReopening))
        func syncedEngineKeepsRule(_ rule: BackendRule) throws {
            try rule.check(PostgresEngine.engine(.full))
        }

        /// Through a proxy that gives each transaction to another of the server's processes.
        @Test(.enabled(if: PostgresServer.hasProxy), arguments: pooledRules)
        func pooledEngineKeepsRule(_ rule: BackendRule) throws {
            try rule.check(PostgresEngine.engine(.process, isPooled: true))
        }

        private static let pooledRules = BackendRule.rules(for: engine).enumerated()
            .filter { RunSetting.isTurn(of: $0.offset) }.map(\.element)
    }
#endif
