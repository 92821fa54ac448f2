#if PostgreSQL
    import CabinetBackend
    import CabinetPostgreSQL
    import Testing
    import TrustSupport

    /// A server that has lost the last commits, of which programs know that are still open.
    @Suite(.enabled(if: PostgresServer.isInstalled))
    struct LostCommitTests {
        /// Others go on with the numbers of what was lost, fewer or more than these. A backend that knows of it writes
        /// over nothing of theirs, and is told.
        @Test(arguments: RunSetting.seeds(32))
        func whoeverKnowsLostCommitsOverwritesNothing(_ seed: UInt64) throws {
            var random = SeededRandom(seed: seed)
            let store = try SharedStore()
            let one = try store.open()
            let table = try one.makeTable(.record, "Song")
            try one.commit { batch in
                for row in 2..<6 as Range<RowID> { try batch.put([1], at: row, in: table) }
            }
            let kept = try one.lastCommit()
            try store.keepState()
            for _ in 0..<1 + random.below(3) {
                if random.once(in: 3) {
                    _ = try one.makeTable(.ordered, "T\(random.below(1 << 30))")
                }
                try one.commit { try $0.put([2], at: 3, in: table) }
            }
            let basis = try one.lastCommit()
            // Nothing else knows the former state, as after a server has begun anew.
            try store.goBack()
            let two = try store.open()
            #expect(try two.lastCommit() == kept)
            for _ in 0..<random.below(6) {
                if random.once(in: 4) {
                    _ = try two.makeTable(.ordered, "U\(random.below(1 << 30))")
                }
                try two.commit { try $0.put([3], at: 4, in: table) }
            }
            let (last, value) = (try two.lastCommit(), try two.value(of: 4, in: table))
            for _ in 0..<3 {
                switch random.below(3) {
                case 0: #expect(throws: BackendError.self) { try one.refresh() }
                case 1:
                    #expect(throws: BackendError.self) {
                        let batch = one.makeBatch()
                        batch.basis = basis
                        try batch.put([4], at: 4, in: table)
                        try one.commit(batch)
                    }
                default: #expect(throws: BackendError.self) { try one.value(of: 4, in: table) }
                }
            }
            #expect(throws: BackendError.self) { try one.refresh() }
            #expect(try two.lastCommit() == last)
            #expect(try two.value(of: 4, in: table) == value)
            // Opened anew, it is of what there is.
            try? one.close()
            let again = try store.open()
            #expect(try again.lastCommit() == last)
            try again.commit { try $0.put([5], at: 4, in: table) }
            try two.refresh()
            #expect(try two.value(of: 4, in: table) == [5])
        }

        /// A line that begins without a loss is no loss.
        @Test func aServerThatHasLostNothingIsUsedOn() throws {
            let store = try SharedStore()
            let one = try store.open()
            let table = try one.makeTable(.record, "Song")
            try one.commit { try $0.put([1], at: 2, in: table) }
            let two = try store.open()
            for round in 0..<4 as Range<UInt8> {
                // As after a crash that has taken nothing.
                try store.run("DELETE FROM run")
                try (round % 2 == 0 ? one : two).commit { try $0.put([round], at: 2, in: table) }
                try one.refresh()
                try two.refresh()
                #expect(try one.value(of: 2, in: table) == [round])
                #expect(try two.value(of: 2, in: table) == [round])
            }
            #expect(try one.lines().count == 5)
            #expect(try one.lines() == two.lines())
        }
    }

    extension SharedStore {
        /// Copies all that the schema has, for ``goBack()``.
        func keepState() throws {
            try run(
                "CREATE SCHEMA \"kept_\(name)\"",
                """
                DO $$ DECLARE t record; BEGIN
                FOR t IN SELECT tablename FROM pg_tables WHERE schemaname = 'cabinet_\(name)' LOOP
                EXECUTE format('CREATE TABLE %I.%I AS TABLE %I.%I', 'kept_\(name)', t.tablename,
                'cabinet_\(name)', t.tablename); END LOOP; END $$
                """)
        }

        /// Makes the tables what they were, as a server does that has lost what came after; what it keeps through no
        /// crash is empty.
        func goBack() throws {
            try run(
                """
                DO $$ DECLARE t record; BEGIN
                FOR t IN SELECT tablename FROM pg_tables WHERE schemaname = 'kept_\(name)' LOOP
                EXECUTE format('TRUNCATE %I.%I', 'cabinet_\(name)', t.tablename);
                EXECUTE format('INSERT INTO %I.%I SELECT * FROM %I.%I', 'cabinet_\(name)', t.tablename,
                'kept_\(name)', t.tablename); END LOOP; END $$
                """,
                """
                DO $$ DECLARE t record; BEGIN
                FOR t IN SELECT tablename FROM pg_tables WHERE schemaname = 'cabinet_\(name)' EXCEPT
                SELECT tablename FROM pg_tables WHERE schemaname = 'kept_\(name)' LOOP
                EXECUTE format('DROP TABLE %I.%I', 'cabinet_\(name)', t.tablename); END LOOP; END $$
                """,
                "DELETE FROM run")
        }
    }
#endif
