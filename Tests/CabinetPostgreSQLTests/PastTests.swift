#if PostgreSQL
    import CabinetBackend
    import CabinetPostgreSQL
    import CabinetSQL
    import CabinetTestSupport
    import Testing
    import TrustSupport

    /// What commits replace, and what the feed keeps, stays as long as it may be asked for, and no longer.
    @Suite(.enabled(if: PostgresServer.isInstalled))
    struct PastTests {
        @Test func whatNoReaderNeedsIsRemoved() throws {
            let store = try SharedStore()
            let (one, two) = (try store.open(isQuick: true), try store.open(isQuick: true))
            let table = try one.makeTable(.record, "Song")
            let index = try one.makeTable(.ordered, "Index", flags: .derived)
            try one.commit { batch in
                try batch.put([1], at: 2, in: table)
                try batch.put([1], for: [1], in: index)
            }
            try two.refresh()
            var held: (any BackendReader)? = try two.snapshot()
            try two.core.tellHolds()
            for value in 2..<6 as Range<UInt8> {
                try one.commit { batch in
                    try batch.put([value], at: 2, in: table)
                    try batch.put([value], for: [1], in: index)
                }
            }
            try one.commit { try $0.drop(index) }
            try one.core.removePast()
            #expect(try held?.value(of: 2, in: table) == [1])
            #expect(try held?.value(forKey: [1], in: index) == [1])
            #expect(try store.run("SELECT count(*) FROM past_rows") == ["4"])
            held = nil
            try two.core.tellHolds()
            try one.core.removePast()
            // What was settled is what the last look has seen.
            try one.core.removePast()
            for past in ["past_rows", "past_keys", "past_counts"] {
                #expect(try store.run("SELECT count(*) FROM \(past)") == ["0"])
            }
            let gone = try store.run("SELECT to_regclass('o_\(index)') IS NULL")
            #expect(gone == ["t"])
            #expect(try one.value(of: 2, in: table) == [5])
            // The number serves a later table, of which readers see nothing else.
            let later = try one.makeTable(.ordered, "Later", flags: .derived)
            #expect(later == index)
            #expect(try two.refresh() == one.lastCommit())
            #expect(try two.count(of: later) == 0)
        }

        @Test func aSilentSessionLosesWhatItHolds() throws {
            let store = try SharedStore()
            let (one, two) = (try store.open(isQuick: true), try store.open(beats: false))
            let table = try one.makeTable(.record, "Song")
            try one.commit { try $0.put([1], at: 2, in: table) }
            try two.refresh()
            let held = try two.snapshot()
            try two.core.tellHolds()
            try one.commit { try $0.put([2], at: 2, in: table) }
            try one.core.removePast()
            #expect(try held.value(of: 2, in: table) == [1])
            // A sign of life keeps it.
            try two.core.tellHolds()
            try one.core.removePast()
            #expect(try held.value(of: 2, in: table) == [1])
            try one.core.removePast()
            #expect(throws: BackendError.snapshotTooOld(2)) { try held.value(of: 2, in: table) }
            #expect(try two.value(of: 2, in: table) == [2])
        }

        /// Once, what it saved when it woke was put over what others had saved in its rows.
        @Test func rowsThatASilentSessionHasReservedAreNotGivenOutAgain() throws {
            let store = try SharedStore()
            let sleeping = try store.open(beats: false)
            let table = try sleeping.makeTable(.record, "Song")
            let rows = try sleeping.reserveRows(4, in: table)
            // Of another machine.
            try store.run("UPDATE sessions SET realm = 'elsewhere'")
            let one = try store.open(isQuick: true)
            for _ in 0..<2 { try one.core.removePast() }
            #expect(try store.run("SELECT count(*) FROM sessions") == ["1"])
            try one.close()
            let other = try store.open()
            let later = try other.reserveRows(4, in: table)
            #expect(later.lowerBound > rows.upperBound)
        }

        @Test func aProgramThatEndsLeavesNothingBehind() throws {
            let store = try SharedStore()
            let one = try store.open()
            let table = try one.makeTable(.record, "Song")
            for value in 1..<5 as Range<UInt8> {
                try one.commit { try $0.put([value], at: 2, in: table) }
            }
            let other = try store.open()
            let work = try other.claimWork("indexes")
            try one.close()
            // Another program may ask for it.
            #expect(try store.run("SELECT count(*) FROM past_rows") == ["3"])
            #expect(try store.run("SELECT loose <> 0 FROM store") == ["f"])
            try other.close()
            for left in ["past_rows", "sessions", "writers", "work"] {
                #expect(try store.run("SELECT count(*) FROM \(left)") == ["0"])
            }
            withExtendedLifetime(work) {}
        }

        @Test func workOfASessionThatHasEndedIsClaimedAnew() throws {
            let store = try SharedStore()
            let one = try store.open(isQuick: true)
            try store.run(
                "INSERT INTO sessions (id, realm, process, began, beat) VALUES (7, 'elsewhere', 1, 1, 3)",
                "INSERT INTO work VALUES ('indexes', 7)")
            // Of a machine that cannot be seen from here, silence is taken for its end.
            #expect(try one.claimWork("indexes") == nil)
            try store.run("UPDATE sessions SET beat = beat + 1 WHERE id = 7")
            #expect(try one.claimWork("indexes") == nil)
            let claim = try one.claimWork("indexes")
            #expect(claim != nil)
            #expect(try store.run("SELECT count(*) FROM work WHERE session <> 7") == ["1"])
        }

        /// Whether the names are known here, or were changed by another backend.
        @Test func theFeedKeepsWhatNamesNeed() throws {
            let store = try SharedStore()
            let (one, two) = (try store.open(changesKept: 10_000), try store.open())
            let table = try one.makeTable(.record, "Song")
            let start = try one.position()
            try two.refresh()
            try two.keepChanges(after: start, for: "worker", limit: .max)
            try one.refresh()
            func fill() throws {
                for step in 0..<100 as Range<UInt8> {
                    try one.commit { batch in
                        try batch.put([UInt8](repeating: step, count: 300), at: 2, in: table)
                    }
                }
            }
            try fill()
            #expect(try one.changes(after: start.commit).next()?.number == start.commit.next)
            try two.letGoOfChanges(for: "worker")
            try fill()
            #expect(throws: BackendError.self) { try one.changes(after: start.commit) }
            #expect(Int(try store.run("SELECT feed_size FROM store")[0]) ?? .max < 40_000)
        }
    }
#endif
