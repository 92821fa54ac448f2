#if PostgreSQL
    import CabinetBackend
    import CabinetPostgreSQL
    import CabinetTestSupport
    import Testing
    import TrustSupport

    /// How often a program waits for the server, after authentication.
    @Suite(.enabled(if: PostgresServer.isInstalled))
    struct WaysTests {
        @Test func questionsAreOneWayToTheServer() throws {
            let store = try SharedStore()
            try store.open().close()
            let proxy = try PostgresProxy(before: store.server)
            var opened: PostgresBackend?
            let opening = try proxy.count {
                opened = try store.open(at: proxy.address, beats: false)
            }
            let backend = try #require(opened)
            var tables: [TableNumber] = []
            let first = try proxy.count {
                let definition = try backend.claim(TableClaim(kind: .record, name: "Song"))
                _ = try backend.reserveRows(256, in: definition.number)
                try backend.commit { batch in
                    try batch.define(definition)
                    try batch.put([1], at: 2, in: definition.number)
                }
                tables = [definition.number]
            }
            tables.append(try backend.makeTable(.ordered, "Index"))
            try backend.commit { batch in
                for row in 2..<1002 as Range<RowID> {
                    try batch.put([UInt8](repeating: 7, count: 100), at: row, in: tables[0])
                    try batch.put(
                        [], for: [1, UInt8(row.rawValue >> 8), UInt8(row.rawValue & 255), 0],
                        in: tables[1])
                }
            }
            let save = try proxy.count {
                try backend.commit { batch in
                    batch.basis = try backend.lastCommit()
                    batch.require(.present, row: 3, in: tables[0])
                    try batch.put([2], at: 2, in: tables[0])
                    try batch.put([], for: [1, 0, 2, 0], in: tables[1])
                }
            }
            let fetch = try proxy.count {
                let range = KeyRange(prefix: [1])
                _ = try backend.count(of: range, in: tables[1], upTo: 5000)
                let run = RowRun()
                let cursor = try backend.entries(in: tables[1], range: range, descending: false)
                while try cursor.next(run, limit: 2000) { #expect(run.rows.count == 1000) }
                let records = RecordRun()
                let looked = try backend.values(
                    of: Array(2..<1002 as Range<RowID>)[...], in: tables[0], into: records)
                #expect(looked == 1000)
            }
            #expect(opening.ways == 2)
            #expect(first.ways == 2)
            #expect(save.ways == 1)
            #expect(fetch.ways == 3)
        }

        /// What is asked seldom takes one way, too, and no connection of its own.
        @Test func seldomQuestionsAreOneWayToTheServer() throws {
            let store = try SharedStore()
            let proxy = try PostgresProxy(before: store.server)
            let backend = try store.open(at: proxy.address, beats: false, connections: 1)
            let table = try backend.makeTable(.record, "Song")
            let index = try backend.makeTable(.ordered, "Index")
            var held: [any BackendReader] = []
            for value in 0..<3 as Range<UInt8> {
                try backend.commit { batch in
                    try batch.put([value, 0, 0], at: 9, in: table)
                    try batch.put([value], for: [1], in: index)
                }
                held.append(try backend.snapshot(label: "\(value)"))
            }
            var (highest, snapshots): (RowID?, [OpenSnapshot]) = (nil, [])
            #expect(try proxy.count { highest = try backend.highestRow(of: table) }.ways == 1)
            #expect(try highest == 9 && backend.highestRow(of: 999) == RowID.none)
            #expect(proxy.count { snapshots = backend.openSnapshots }.ways == 1)
            // A value of each table with its CRC, for each commit behind a reader's.
            #expect(snapshots.map(\.bytes) == [24, 12, 0])
            #expect(snapshots.map(\.label) == ["0", "1", "2"])
            var number: TableNumber = 0
            #expect(try proxy.count { number = try backend.reserveTable() }.ways == 1)
            #expect(try backend.reserveTable().rawValue == number.rawValue + 1)
            #expect(throws: BackendError.rowsExhausted(number)) {
                try backend.reserveRows(.max, in: number)
            }
            #expect(try backend.reserveRows(2, in: number) == 2...3)
            #expect(proxy.connections == 1)
            withExtendedLifetime(held) {}
        }

        /// A table of which the server knows nothing yet, as after an import, is read by its index.
        @Test func aWalkReadsNothingTwice() throws {
            let store = try SharedStore()
            let backend = try store.open(beats: false)
            let table = try backend.makeTable(.record, "Song")
            let index = try backend.makeTable(.ordered, "Index")
            try store.run(
                "ALTER TABLE r_\(table) SET (autovacuum_enabled = off)",
                "ALTER TABLE o_\(index) SET (autovacuum_enabled = off)")
            let count = 50_000
            try backend.commit { batch in
                for row in 2..<RowID(UInt32(count + 2)) {
                    try batch.put([7], at: row, in: table)
                    let key = withUnsafeBytes(of: row.rawValue.bigEndian) { Array($0) }
                    try batch.put([], for: key, in: index)
                }
            }
            try backend.close()
            func reads() throws -> Int {
                let sum = "SELECT sum(seq_tup_read + idx_tup_fetch) FROM pg_stat_user_tables "
                let found = try store.run(
                    sum + "WHERE relid IN ('r_\(table)'::regclass, 'o_\(index)'::regclass)")
                return try #require(Int(found[0]))
            }
            let before = try reads()
            let reader = try store.open(beats: false)
            let walk = try reader.entries(in: index, range: .everything, descending: false)
            let (entries, run) = (EntryRun(), RecordRun())
            var found = 0
            while try walk.next(entries) { while entries.next() != nil { found += 1 } }
            #expect(try reader.rows(of: table).count == count && found == count)
            let rows = Array(2..<2002 as Range<RowID>)
            #expect(try reader.values(of: rows[...], in: table, into: run) == 2000)
            try reader.close()
            #expect(try reads() - before < 2 * count + 10_000)
        }

        /// Where values were small, as many are asked for as then fill a run; any of them may be large by now.
        @Test(arguments: 0..<4) func largeValuesAmongSmallOnesAreRead(_ first: Int) throws {
            let backend = try SharedStore().open(beats: false)
            let table = try backend.makeTable(.record, "Song")
            let index = try backend.makeTable(.ordered, "Index")
            let rows = Array(2..<3002 as Range<RowID>)
            let keys = rows.map { row in withUnsafeBytes(of: row.rawValue.bigEndian) { Array($0) } }
            var wanted = rows.map { [UInt8](repeating: UInt8($0.rawValue & 255), count: 20) }
            func put(_ places: [Int]) throws {
                try backend.commit { batch in
                    for place in places {
                        try batch.put(wanted[place], at: rows[place], in: table)
                        try batch.put(wanted[place], for: keys[place], in: index)
                    }
                }
            }
            func read(_ way: Int) throws -> [[UInt8]] {
                var found: [[UInt8]] = []
                let (records, entries) = (RecordRun(), EntryRun())
                func take() {
                    while let (_, value) = records.next() { found.append(Array(value)) }
                    while let (_, value) = entries.next() { found.append(Array(value)) }
                }
                let walk = try backend.records(in: table)
                let keyWalk = try backend.entries(in: index, range: .everything, descending: false)
                var looked = 0
                switch way {
                case 0: while try walk.next(records) { take() }
                case 1: while try keyWalk.next(entries) { take() }
                case 2:
                    while looked < rows.count {
                        looked += try backend.values(of: rows[looked...], in: table, into: records)
                        take()
                    }
                default:
                    while looked < keys.count {
                        looked += try backend.values(
                            forKeys: keys[looked...], in: index, into: entries)
                        take()
                    }
                }
                return found
            }
            try put(Array(rows.indices))
            for way in 0..<4 { #expect(try read(way) == wanted) }
            let large = first % 2 == 0 ? [0, 1400, 1401, 2999] : [700]
            for place in large { wanted[place] = [UInt8](repeating: 9, count: 90_000) }
            try put(large)
            for way in 0..<8 { #expect(try read((first + way) % 4) == wanted) }
            try backend.close()
        }
    }
#endif
