#if PostgreSQL
    import CabinetBackend
    import CabinetPostgreSQL
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

        @Test func whatBothGiveOutIsDifferent() throws {
            let store = try SharedStore()
            let (one, two) = (try store.open(), try store.open())
            let claim = TableClaim(kind: .record, name: "Song")
            let song = try one.claim(claim)
            #expect(try two.claim(claim) == song)
            let list = try two.claim(TableClaim(kind: .record, name: "Playlist"))
            #expect(list.number != song.number && list.classNumber != song.classNumber)
            #expect(try one.reserveTable() != two.reserveTable())
            var taken: Set<RowID> = []
            for step in 0..<40 {
                let backend = step % 3 == 0 ? one : two
                for row in try backend.reserveRows(UInt32(step % 5 + 1), in: song.number) {
                    #expect(taken.insert(row).inserted)
                }
            }
            #expect(one.identity == two.identity)
        }

        @Test func conflictsComeBackAllAtOnce() throws {
            let store = try SharedStore()
            let (one, two) = (try store.open(), try store.open())
            let table = try one.makeTable(.record, "Song")
            let index = try one.makeTable(.ordered, "Index")
            let basis = try two.refresh()
            let held = try two.snapshot()
            try one.commit { batch in
                for row in 2..<5 as Range<RowID> { try batch.put([1], at: row, in: table) }
                try batch.put([1], for: [7], in: index)
            }
            #expect(
                throws: BackendError.conflict([
                    .row(2, table: table), .row(4, table: table), .key([7], table: index),
                ])
            ) {
                try two.commit { batch in
                    batch.basis = basis
                    for row in [2, 4, 9] as [RowID] { try batch.put([2], at: row, in: table) }
                    try batch.put([2], for: [7], in: index)
                }
            }
            #expect(try one.refresh() == basis.next)
            withExtendedLifetime(held) {}
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

        @Test func aSubscriberHearsOfAnothersCommits() async throws {
            let store = try SharedStore()
            let (one, two) = (try store.open(), try store.open())
            let table = try one.makeTable(.record, "Song")
            let (numbers, sink) = AsyncStream.makeStream(of: CommitNumber.self)
            let subscription = two.onCommit { sink.yield($0) }
            for row in 2..<6 as Range<RowID> {
                try one.commit { try $0.put([1], at: row, in: table) }
            }
            var heard: [CommitNumber] = []
            for await number in numbers {
                heard.append(number)
                if heard.count == 5 { break }
            }
            #expect(heard == [1, 2, 3, 4, 5])
            #expect(try two.value(of: 5, in: table) == [1])
            withExtendedLifetime(subscription) {}
        }

        @Test func workIsClaimedByOneBackend() throws {
            let store = try SharedStore()
            let (one, two) = (try store.open(), try store.open())
            let claim = try #require(try one.claimWork("indexes"))
            #expect(try two.claimWork("indexes") == nil)
            #expect(try two.claimWork("texts") != nil)
            claim.end()
            #expect(try two.claimWork("indexes") != nil)
            let kept = try one.claimWork("indexes")
            try one.close()
            #expect(try two.claimWork("indexes") != nil)
            withExtendedLifetime(kept) {}
        }
    }
#endif
