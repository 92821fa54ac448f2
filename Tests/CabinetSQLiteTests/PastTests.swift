#if SQLite
    import CabinetBackend
    import CabinetSQL
    import CabinetSQLite
    import CabinetTestSupport
    import Testing

    /// What commits replace is kept as long as a reader may ask, and no longer.
    struct PastTests {
        @Test func whatNoReaderNeedsIsRemoved() throws {
            let file = try SharedFile()
            let (one, two) = (try file.open(isQuick: true), try file.open(isQuick: true))
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
            #expect(try file.run("SELECT count(*) FROM past_rows") == ["4"])
            held = nil
            try two.core.tellHolds()
            try one.core.removePast()
            // What was settled is what the last look has seen.
            try one.core.removePast()
            for past in ["past_rows", "past_keys", "past_counts"] {
                #expect(try file.run("SELECT count(*) FROM \(past)") == ["0"])
            }
            let names = try file.run("SELECT name FROM sqlite_master WHERE type = 'table'")
            #expect(!names.contains("o_\(index)") && names.contains("r_\(table)"))
            #expect(try one.value(of: 2, in: table) == [5])
        }

        @Test func aReaderWhoseSignsOfLifeAreLostNeverReadsAMixture() throws {
            let file = try SharedFile()
            let one = try file.open(isQuick: true)
            let two = try file.open(beats: false)
            let table = try one.makeTable(.record, "Song")
            try one.commit { batch in
                for row in 2..<5 as Range<RowID> { try batch.put([1], at: row, in: table) }
            }
            try two.refresh()
            let held = try two.snapshot()
            let number = try held.lastCommit()
            let walk = try held.records(in: table)
            try one.commit { try $0.put([2], at: 3, in: table) }
            try one.core.removePast()
            try one.core.removePast()
            let lost = BackendError.snapshotTooOld(number)
            #expect(throws: lost) { try held.value(of: 2, in: table) }
            #expect(throws: lost) { try held.lastCommit() }
            #expect(throws: lost) { try held.tables() }
            #expect(throws: lost) { try walk.next(RecordRun()) }
            // Reads of now go on, and a new reader is frozen at what is there.
            #expect(try two.value(of: 3, in: table) == [2])
            #expect(try two.snapshot().value(of: 3, in: table) == [2])
            #expect(throws: BackendError.changesGone(oldest: 3)) {
                try two.commit { batch in
                    batch.basis = number
                    try batch.put([3], at: 3, in: table)
                }
            }
        }

        /// As a process does that is stopped: it comes back, and its reader is of no use any more.
        @Test func aSilentSessionLosesWhatItHolds() throws {
            let file = try SharedFile()
            let one = try file.open(isQuick: true)
            let two = try file.open(beats: false)
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
            let file = try SharedFile()
            let sleeping = try file.open(beats: false)
            let table = try sleeping.makeTable(.record, "Song")
            let rows = try sleeping.reserveRows(4, in: table)
            // A process that cannot be seen from here.
            try file.run("UPDATE sessions SET realm = realm || ' elsewhere'")
            let one = try file.open(isQuick: true)
            for _ in 0..<2 { try one.core.removePast() }
            #expect(try file.run("SELECT count(*) FROM sessions") == ["1"])
            try one.close()
            let other = try file.open()
            let later = try other.reserveRows(4, in: table)
            #expect(later.lowerBound > rows.upperBound)
        }

        @Test func aProgramThatEndsLeavesNothingBehind() throws {
            let file = try SharedFile()
            let one = try file.open()
            let table = try one.makeTable(.record, "Song")
            for value in 1..<5 as Range<UInt8> {
                try one.commit { try $0.put([value], at: 2, in: table) }
            }
            let other = try file.open()
            try one.close()
            // Another program may ask for it.
            #expect(try file.run("SELECT count(*) FROM past_rows") == ["3"])
            try other.close()
            #expect(try file.run("SELECT count(*) FROM past_rows") == ["0"])
            #expect(try file.run("SELECT count(*) FROM sessions") == ["0"])
        }

        @Test func aReaderOfAnEarlierCommitIsRegisteredAtOnce() throws {
            let file = try SharedFile()
            let one = try file.open(isQuick: true)
            let two = try file.open(beats: false)
            let table = try one.makeTable(.record, "Song")
            try one.commit { try $0.put([1], at: 2, in: table) }
            try two.refresh()
            try one.commit { try $0.put([2], at: 2, in: table) }
            let held = try two.snapshot()
            try one.commit { try $0.put([3], at: 2, in: table) }
            try one.core.removePast()
            #expect(try held.value(of: 2, in: table) == [1])
        }

        @Test func aReaderKeepsTheStoreOpen() throws {
            let file = try SharedFile()
            var backend: SQLiteBackend? = try file.open()
            let table = try #require(try backend?.makeTable(.record, "Song"))
            try backend?.commit { try $0.put([1], at: 2, in: table) }
            var reader = try backend?.snapshot()
            backend = nil
            #expect(try reader?.value(of: 2, in: table) == [1])
            #expect(try file.run("SELECT count(*) FROM sessions") == ["1"])
            reader = nil
            #expect(try file.run("SELECT count(*) FROM sessions") == ["0"])
        }

        @Test func theFirstToComeTidiesUpAfterThoseWhoHaveEnded() throws {
            let file = try SharedFile()
            let table = try file.open().makeTable(.record, "Song")
            // As a process leaves it that was killed: its work, its numbers, what it held.
            try file.run(
                "INSERT INTO sessions VALUES (5, (SELECT 'x'), 1, 1, 0, 1)",
                "UPDATE sessions SET realm = 'another run of the machine'",
                "INSERT INTO work VALUES ('indexes', 5)",
                "INSERT INTO claims VALUES ('list', 3, 1, 'List', 0, 0, 0)",
                "UPDATE numbers SET next = 5000", "UPDATE store SET next_table = 600")
            let one = try file.open(isQuick: true)
            #expect(try file.run("SELECT count(*) FROM sessions") == ["1"])
            #expect(try one.claimWork("indexes") != nil)
            #expect(try one.reserveRows(1, in: table) == 2...2)
            #expect(try one.reserveTable() == table.next)
        }

        @Test func numbersOfIndexesAreUsedAgain() throws {
            let file = try SharedFile()
            let one = try file.open(isQuick: true)
            var numbers: Set<TableNumber> = []
            for round in 0..<20 as Range<UInt8> {
                let index = try one.makeTable(.ordered, "Index\(round)", flags: .derived)
                numbers.insert(index)
                try one.commit { try $0.put([round], for: [round], in: index) }
                #expect(try one.count(of: index) == 1)
                try one.commit { try $0.drop(index) }
                try one.core.removePast()
                #expect(throws: BackendError.noTable(index)) {
                    try one.commit { try $0.put([1], for: [1], in: index) }
                }
            }
            #expect(numbers.count < 4)
        }
    }
#endif
