#if PostgreSQL
    import CabinetTestSupport
    import Testing

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
    }
#endif
