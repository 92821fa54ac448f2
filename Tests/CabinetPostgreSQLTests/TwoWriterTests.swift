#if PostgreSQL
    import CabinetBackend
    import CabinetPostgreSQL
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
