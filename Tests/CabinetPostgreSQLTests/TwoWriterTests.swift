#if PostgreSQL
    import CLibrary
    import CabinetBackend
    import CabinetPostgreSQL
    import CabinetTestSupport
    import Dispatch
    import Testing
    import TrustSupport

    /// Two backends over one store, as two machines have them.
    @Suite(.enabled(if: PostgresServer.isInstalled))
    struct TwoWriterTests {
        @Test func readsAreOfWhatIsKnownUntilRefreshed() throws {
            let store = try SharedStore()
            let (one, two) = (try store.open(), try store.open())
            let table = try one.makeTable(.record, "Song")
            #expect(try two.lastCommit() == 0)
            #expect(try two.tables().isEmpty)
            try two.refresh()
            #expect(try two.tables().map(\.number) == [table])
            try one.commit { batch in
                for row in 2..<9 as Range<RowID> { try batch.put([1], at: row, in: table) }
            }
            try two.refresh()
            try one.commit { batch in
                try batch.put([2], at: 3, in: table)
                try batch.deleteRow(4, in: table)
                try batch.put([1], at: 20, in: table)
            }
            #expect(try two.value(of: 3, in: table) == [1])
            #expect(try two.count(of: table) == 7)
            #expect(try two.rows(of: table) == Array(2..<9))
            #expect(try two.refresh() == 3)
            #expect(try two.value(of: 3, in: table) == [2])
            #expect(try two.rows(of: table) == [2, 3, 5, 6, 7, 8, 20])
            // One's own commit takes up those before it.
            try one.commit { try $0.deleteRow(20, in: table) }
            let number = try two.commit { try $0.put([5], at: 21, in: table) }
            #expect(number == 5)
            #expect(try two.rows(of: table) == [2, 3, 5, 6, 7, 8, 21])
        }

        /// How many connections wait for the server to say that there is a commit.
        private func listeners(_ store: SharedStore) throws -> String? {
            try store.run(
                "SELECT count(*) FROM pg_stat_activity WHERE query = 'LISTEN \"cabinet_\(store.name)\"'"
            ).first
        }

        private func waitForListeners(_ count: String, _ store: SharedStore) throws {
            for _ in 0..<600 {
                if try listeners(store) == count { return }
                usleep(100_000)
            }
        }

        /// Whoever does not look by itself hears of commits by the server's word.
        @Test func theServerSaysThatOthersHaveCommitted() throws {
            let store = try SharedStore()
            let (one, two) = (try store.open(), try store.open(look: .seconds(3600)))
            let table = try one.makeTable(.record, "Song")
            let heard = DispatchSemaphore(value: 0)
            let subscription = two.onCommit { if $0 == 3 { heard.signal() } }
            try waitForListeners("1", store)
            #expect(try listeners(store) == "1")
            // Of commits one after the other the first alone is sure to be said.
            for value in 1..<3 as Range<UInt8> {
                try one.commit { try $0.put([value], at: 2, in: table) }
                usleep(20_000)
            }
            #expect(heard.wait(timeout: .now() + 60) == .success)
            #expect(try two.value(of: 2, in: table) == [2])
            subscription.cancel()
            try two.close()
            try waitForListeners("0", store)
            #expect(try listeners(store) == "0")
        }

        /// Its word may be lost, and where many use a store it says nothing: then commits are found by looking.
        @Test(arguments: [false, true])
        func commitsAreFoundWithoutTheServersWord(areMany: Bool) throws {
            let store = try SharedStore()
            let (one, two) = (try store.open(), try store.open(beats: false))
            let table = try one.makeTable(.record, "Song")
            if areMany {
                try store.run(
                    "INSERT INTO sessions (id, realm, process, began, beat) "
                        + "SELECT n, 'elsewhere', 1, 1, 3 FROM generate_series(1, 40) n")
                // Then all of them together look no more often than a few.
                try two.refresh()
                #expect(two.core.route.pause(.seconds(16)) == .seconds(42))
            }
            let heard = DispatchSemaphore(value: 0)
            let subscription = two.onCommit { if $0 == 2 { heard.signal() } }
            if !areMany {
                let (name, process) = (
                    "LISTEN \"cabinet_\(store.name)\"", "pg_terminate_backend(pid)"
                )
                try waitForListeners("1", store)
                try store.run("SELECT \(process) FROM pg_stat_activity WHERE query = '\(name)'")
                try waitForListeners("0", store)
            }
            try one.commit { try $0.put([1], at: 2, in: table) }
            #expect(heard.wait(timeout: .now() + 60) == .success)
            #expect(try listeners(store) == "0")
            withExtendedLifetime(subscription) {}
        }

        @Test func twoStoresOfOneDatabaseKnowNothingOfOneAnother() throws {
            let (one, two) = (try SharedStore(), try SharedStore())
            let (first, second) = (try one.open(), try two.open())
            let table = try first.makeTable(.record, "Song")
            try first.commit { try $0.put([1], at: 2, in: table) }
            #expect(try second.refresh() == 0)
            #expect(try second.makeTable(.record, "Song") == table)
            #expect(try second.count(of: table) == 0)
            #expect(first.identity != second.identity)
        }
    }
#endif
