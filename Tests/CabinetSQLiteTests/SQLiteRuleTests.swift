#if SQLite
    import CabinetTestSupport
    import Testing

    struct SQLiteRuleTests {
        private static let engine = SQLiteEngine.engine(.process)

        @Test(arguments: BackendRule.rules(for: engine))
        func engineKeepsRule(_ rule: BackendRule) throws { try rule.check(Self.engine) }

        /// With each commit synced, those rules that commit little.
        @Test(
            arguments: BackendRule.rules(for: engine).filter {
                $0.needsReopening || $0.name.contains("answer was lost")
            })
        func syncedEngineKeepsRule(_ rule: BackendRule) throws {
            try rule.check(SQLiteEngine.engine(.full))
        }
    }
#endif
