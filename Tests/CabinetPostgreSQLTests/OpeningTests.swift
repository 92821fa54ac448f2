#if PostgreSQL
    import CabinetBackend
    import CabinetPostgreSQL
    import CabinetTestSupport
    import Testing
    import TrustSupport

    @Suite(.enabled(if: PostgresServer.isInstalled))
    struct OpeningTests {
        /// Expects an error of the engine itself that says each of some words.
        private func expectRefusal(_ words: String..., body: () throws -> Void) {
            #expect {
                try body()
            } throws: { error in
                guard case BackendError.engine("PostgreSQL", let reason) = error else {
                    return false
                }
                return words.allSatisfy(reason.contains)
            }
        }

        @Test func aSchemaOfAnotherProgramIsRefused() throws {
            let store = try SharedStore()
            let schema = "\"cabinet_\(store.name)\""
            try store.server.run(
                "CREATE SCHEMA \(schema)", ["CREATE TABLE \(schema).format (number bigint)"])
            let address = store.server.address() + "?store=" + store.name
            for access in [Access.readWrite, .readOnly] {
                #expect {
                    try store.open(access)
                } throws: { error in
                    guard case BackendError.notAStore(let path) = error else { return false }
                    return path.hasSuffix("/postgres?store=" + store.name)
                }
            }
            #expect(throws: BackendError.self) { try PostgresBackend(address) }
            let tables = try store.run(
                "SELECT count(*) FROM pg_tables WHERE schemaname ~ '\(store.name)'")
            #expect(tables == ["1"])
        }

        @Test func whatIsNotThereIsNotReadOrMade() throws {
            let store = try SharedStore()
            #expect {
                try store.open(.readOnly)
            } throws: { error in
                guard case BackendError.noStore = error else { return false }
                return true
            }
            let found = try store.server.run(
                "SELECT count(*) FROM pg_namespace WHERE nspname ~ '\(store.name)'", [])
            #expect(found == ["0"])
            let elsewhere = store.server.address().replacing("/postgres", with: "/nowhere")
            #expect {
                try PostgresBackend(elsewhere, store: "music")
            } throws: { error in
                guard case BackendError.noStore = error else { return false }
                return true
            }
        }

        @Test func aNewerFormatIsRefused() throws {
            let store = try SharedStore()
            try store.open().close()
            try store.run("UPDATE format SET number = 9")
            #expect {
                try store.open()
            } throws: { error in
                guard case BackendError.newerFormat(_, found: 9, known: 5) = error else {
                    return false
                }
                return true
            }
        }

        @Test func aFormatOfADevelopmentVersionIsRefused() throws {
            let store = try SharedStore()
            try store.open().close()
            try store.run("UPDATE format SET number = 1", "ALTER TABLE store DROP COLUMN catalog")
            for access in [Access.readWrite, .readOnly] {
                #expect {
                    try store.open(access)
                } throws: { error in
                    guard case BackendError.olderFormat(_, found: 1, oldest: 5) = error else {
                        return false
                    }
                    return true
                }
            }
        }

        @Test(arguments: [
            "", "a b", "x\"; DROP SCHEMA y", "it's", "a%sb", "$cabinet$", "@.", "a\0",
        ])
        func aNameThatSQLCouldMistakeIsRefused(_ name: String) throws {
            let server = try #require(PostgresServer.shared)
            expectRefusal("name of a store") {
                _ = try PostgresBackend(server.address(), store: name)
            }
        }

        @Test func aNameOfAnyLettersIsTaken() throws {
            let server = try #require(PostgresServer.shared)
            let name = "Müsik-ж.9_" + String(repeating: "x", count: 20)
            let backend = try PostgresBackend(server.address(), store: name)
            try backend.makeTable(.record, "Song")
            #expect(try PostgresBackend(server.address(), store: name).lastCommit() == 1)
        }

        /// However long the program would wait for a server.
        @Test(
            .timeLimit(.minutes(1)),
            arguments: [
                ("sslmode=nope", "sslmode"), ("port=99999999", "port number"),
                ("host=/nowhere,/there port=1,2,3", "port numbers"),
            ])
        func whatCannotBeRightIsNotTriedAgain(_ setting: String, _ word: String) {
            expectRefusal(word) {
                _ = try PostgresBackend(
                    "host=/nowhere \(setting)", store: "music", patience: .seconds(86_400))
            }
        }

        @Test func noErrorShowsAPassword() throws {
            let server = try #require(PostgresServer.shared)
            let right = server.address()
            let wrong = [
                right.replacing("cabinet@", with: "cabinet:hush-hush@").replacing(
                    "cabinet-pg", with: "no"),
                right.replacing("cabinet@", with: "nobody-here:hush-hush@"),
                "postgresql://cabinet:hush-hush@[::1/x",
                "host=/nowhere user=cabinet password=hush-hush",
            ]
            for address in wrong {
                #expect {
                    try PostgresBackend(address, store: "music", patience: .zero)
                } throws: {
                    !"\($0) \(String(reflecting: $0))".contains("hush-hush")
                }
            }
            let backend = try PostgresBackend(
                right.replacing("cabinet@", with: "cabinet:hush-hush@"), store: "Hush")
            #expect(!backend.location.contains("hush-hush"))
        }

        @Test func aRoleThatMayOnlyReadReads() throws {
            let store = try SharedStore()
            let one = try store.open()
            let table = try one.makeTable(.record, "Song")
            try one.commit { try $0.put([1], at: 2, in: table) }
            let (schema, role) = ("\"cabinet_\(store.name)\"", "\"reader-\(store.name)\"")
            try store.run(
                "CREATE ROLE \(role) LOGIN", "GRANT USAGE ON SCHEMA \(schema) TO \(role)",
                "GRANT SELECT ON ALL TABLES IN SCHEMA \(schema) TO \(role)")
            let address = store.server.address(user: "reader-\(store.name)")
            expectRefusal("reader-\(store.name)", "readOnly") { _ = try store.open(at: address) }
            let two = try store.open(.readOnly, at: address)
            #expect(try two.value(of: 2, in: table) == [1])
            let held = try two.snapshot()
            try one.commit { try $0.put([2], at: 2, in: table) }
            #expect(try held.value(of: 2, in: table) == [1])
            try two.refresh()
            #expect(try two.value(of: 2, in: table) == [2])
            #expect(throws: BackendError.readOnly(path: two.location)) {
                try two.commit { try $0.put([3], at: 2, in: table) }
            }
            #expect(throws: BackendError.self) {
                try PostgresBackend(store.server.address(user: "reader-x"), store: store.name)
            }
        }

        @Test func aDamagedValueIsFoundWhenItIsRead() throws {
            let store = try SharedStore()
            let backend = try store.open()
            let table = try backend.makeTable(.record, "Song")
            let index = try backend.makeTable(.ordered, "Index")
            try backend.commit { batch in
                for row in 2..<5 as Range<RowID> { try batch.put([1, 2, 3], at: row, in: table) }
                try batch.put([1, 2, 3], for: [1], in: index)
            }
            try store.run(
                "UPDATE r_\(table) SET value = '\\x0102040506' WHERE row = 3",
                "UPDATE o_\(index) SET value = '\\x01'")
            #expect(try backend.value(of: 2, in: table) == [1, 2, 3])
            expectRefusal("damaged") { _ = try backend.value(of: 3, in: table) }
            expectRefusal("damaged") { _ = try backend.rows(of: table) }
            expectRefusal("damaged") { _ = try backend.value(forKey: [1], in: index) }
            try store.run("DROP TABLE r_\(table)")
            expectRefusal("damaged") { _ = try backend.value(of: 2, in: table) }
        }

        /// What a server forgets that is not shut down in order is a line's end.
        @Test func commitsThatACrashMayHaveTakenBackEndTheLine() throws {
            let store = try SharedStore()
            let backend = try store.open(durability: .process)
            let table = try backend.makeTable(.record, "Song")
            #expect(try backend.lines().count == 1)
            try store.run("DELETE FROM run")  // as the server does then
            try backend.commit { try $0.put([1], at: 2, in: table) }
            #expect(try backend.lines().count == 2)
            try backend.sync()
            #expect(try store.run("SELECT loose FROM store") == ["0"])
            try store.run("UPDATE store SET place = 77")
            try backend.commit { try $0.put([1], at: 2, in: table) }
            #expect(try backend.lines().count == 3)
        }

        @Test func theFeedGivesUpTheOldestBeyondItsLimit() throws {
            let store = try SharedStore()
            let backend = try store.open(changesKept: 10_000)
            let table = try backend.makeTable(.record, "Song")
            for step in 0..<200 as Range<UInt8> {
                try backend.commit { batch in
                    try batch.put([UInt8](repeating: step, count: 200), at: 2, in: table)
                }
            }
            let size = try store.run("SELECT sum(size) FROM commits")
            #expect(try store.run("SELECT feed_size FROM store") == size)
            #expect(Int(size[0]) ?? .max < 30_000)
            #expect(throws: BackendError.self) { try backend.changes(after: 1) }
            #expect(try backend.changes(after: 190).next()?.number == 191)
            try backend.commit { batch in
                try batch.put([UInt8](repeating: 1, count: 20_000), at: 2, in: table)
            }
            #expect(throws: BackendError.changesGone(oldest: 202)) {
                try backend.changes(after: 201)
            }
        }
    }
#endif
