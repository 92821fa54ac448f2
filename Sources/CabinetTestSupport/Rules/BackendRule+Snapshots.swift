import CabinetBackend

extension BackendRule {
    /// A frozen reader answers as of one commit, whatever is committed later.
    static let snapshots: [BackendRule] = [
        BackendRule("a frozen reader sees all of its commit and nothing later", needs: .snapshots) {
            bench in
            var numbers = SeededNumbers(11)
            var model = FeedModel()
            var readers: [(reader: any BackendReader, wanted: FeedModel.Contents)] = []
            for step in 0..<150 {
                let number = try bench.commit { try model.change(step, &numbers, $0) }
                model.commit()
                guard step % 6 == 2 else { continue }
                let reader = try bench.backend.snapshot()
                try bench.expectEqual(reader.lastCommit(), number, "the reader's commit")
                try bench.expectEqual(reader.identity, bench.backend.identity, "identity")
                readers.append((reader, model.contents))
                // Readers come and go in any order.
                guard readers.count > 8 else { continue }
                let gone = readers.remove(at: Int.random(in: 0..<8, using: &numbers))
                try gone.wanted.expect(in: gone.reader)
            }
            for (reader, wanted) in readers.shuffled(using: &numbers) {
                try wanted.expect(in: reader)
            }
            readers = []
            try model.contents.expect(in: try bench.backend.snapshot())
            try model.contents.expect(in: bench.backend)
        },
        BackendRule("a frozen walk goes on as of its commit, both ways", needs: .snapshots) {
            bench in
            let table = try bench.makeTable()
            let index = try bench.makeTable(.ordered, "Index")
            let rows: ClosedRange<RowID> = 2...6000
            try bench.commit { batch in
                for row in rows where row.rawValue % 2 == 0 {
                    try batch.put(pattern(row.rawValue, 120), at: row, in: table)
                    try batch.put(pattern(row.rawValue, 120), for: key(row), in: index)
                }
            }
            let reader = try bench.backend.snapshot()
            var step = 0
            func change() throws {
                step += 1
                try bench.commit { batch in
                    for row in rows where row.rawValue % 6 < 4 {
                        let isThere = (row.index / 2 + step) % 3 > 0
                        if isThere {
                            try batch.put(pattern(row.rawValue, 90), at: row, in: table)
                            try batch.put(pattern(row.rawValue, 90), for: key(row), in: index)
                        } else {
                            try batch.deleteRow(row, in: table)
                            try batch.deleteKey(key(row), in: index)
                        }
                    }
                }
            }
            let wanted = rows.filter { $0.rawValue % 2 == 0 }
            let found = try reader.rows(in: table, between: change)
            try bench.expect(step > 1, "the table fits a single run")
            try bench.expect(found.map(\.row).sorted() == wanted, "rows differ")
            try bench.expect(
                found.allSatisfy { areSame($0.value, pattern($0.row.rawValue, 120)) },
                "a value differs")
            for descending in [false, true] {
                let found = try reader.keys(in: index, descending: descending, between: change)
                let keys = wanted.map(key)
                try bench.expect(
                    found.map(\.key) == (descending ? keys.reversed() : keys), "keys differ")
                try bench.expect(found.allSatisfy { $0.value.count == 120 }, "a value differs")
            }
            let cursor = try reader.entries(in: index, range: .everything, descending: false)
            let run = EntryRun()
            for row in [4000, 7, 6, 5001] as [RowID] {
                try cursor.seek(key(row))
                try bench.expect(cursor.next(run, limit: 1), "no key from \(row) on")
                try bench.expectEqual(
                    run.next().map { Array($0.key) }, key(row.rawValue % 2 == 0 ? row : row.next),
                    "a search")
                try change()
            }
        },
        BackendRule(
            "a walk at a commit equals a model under four writing threads", needs: .snapshots
        ) { bench in
            let table = try bench.makeTable()
            let index = try bench.makeTable(.ordered, "Index")
            let backend = bench.backend
            // What each commit has put: the rows of thread t are 100 t + 2 and up.
            let commits = Guarded<[CommitNumber: (thread: Int, step: UInt32)]>([:])
            let base = try backend.lastCommit()
            let done = Signal()
            let rounds = Rounds()
            try inParallel(5) { thread in
                guard thread == 4 else {
                    var step: UInt32 = 0
                    while !done.isRaised, step < 3000 {
                        step += 1
                        let number = try write(step, thread, table, index, backend)
                        commits.withLock { $0[number] = (thread, step) }
                        rounds.count()
                    }
                    return rounds.end()
                }
                defer { done.raise() }
                for _ in 0..<12 {
                    let reader = try backend.snapshot()
                    rounds.waitForMore(6)
                    let number = try reader.lastCommit()
                    var wanted: [RowID: [UInt8]] = [:]
                    // A commit is known soon after it can be seen.
                    let made = { commits.withLock { all in (base.next...number).map { all[$0] } } }
                    if number > base {
                        while made().contains(where: { $0 == nil }) { rounds.waitForMore(1) }
                        for case (let thread, let step)? in made() {
                            for (row, value) in writes(step, thread) { wanted[row] = value }
                        }
                    }
                    var found: [RowID: [UInt8]] = [:]
                    for (row, value) in try reader.rows(in: table) {
                        guard found.updateValue(value, forKey: row) == nil else {
                            throw Unexpected("row \(row) was met twice")
                        }
                        rounds.waitForMore(0)
                    }
                    guard found == wanted else {
                        throw Unexpected("rows at \(number) are not what was committed")
                    }
                    let keys = wanted.keys.sorted().map { key($0) }
                    guard try reader.keys(in: index).map(\.key) == keys,
                        try reader.keys(in: index, descending: true).map(\.key)
                            == keys.reversed()
                    else { throw Unexpected("keys at \(number) are not what was committed") }
                    guard try reader.count(of: table) == wanted.count,
                        try reader.count(of: index) == wanted.count
                    else { throw Unexpected("counts at \(number) are wrong") }
                }
            }
        },
        BackendRule("frozen readers are listed for as long as they are held", needs: .snapshots) {
            bench in
            let (table, _) = try rowsAndKeys(bench)
            try bench.expectEqual(bench.backend.openSnapshots, [], "readers at first")
            let first = try bench.backend.lastCommit()
            var one: (any BackendReader)? = try bench.backend.snapshot(label: "one")
            try bench.commit { try $0.put(pattern(1, 500), at: 2, in: table) }
            try bench.commit { try $0.put([99], at: 3, in: table) }
            let two = try bench.backend.snapshot()
            let open = bench.backend.openSnapshots
            try bench.expectEqual(open.map(\.commit), [first, first.advanced(by: 2)], "commits")
            try bench.expectEqual(open.first?.label, "one", "a label")
            try bench.expect(
                open.last?.label.contains("BackendRule+Snapshots.swift:") == true,
                "the label is not the line that took the reader")
            try bench.expect(
                open[0].opened > 1_500_000_000_000_000 && open[1].opened < 10_000_000_000_000_000,
                "the times are no microseconds since 1970")
            try bench.expect(open[0].bytes > 0 && open[1].bytes == 0, "bytes kept")
            try bench.expect(one?.value(of: 3, in: table) != [99], "the reader is not frozen")
            one = nil
            try bench.expectEqual(
                bench.backend.openSnapshots.map(\.commit), [first.advanced(by: 2)],
                "readers after one was freed")
            withExtendedLifetime(two) {}
        },
        BackendRule("a frozen reader of a store that was closed says so", needs: .snapshots) {
            bench in
            let (table, index) = try rowsAndKeys(bench)
            let reader = try bench.backend.snapshot()
            let rows = try reader.records(in: table)
            let keys = try reader.entries(in: index, range: .everything, descending: true)
            try bench.backend.close()
            func expectClosed(_ call: String, _ body: () throws -> Void) throws {
                try bench.expectError(.closed, call, body)
            }
            try expectClosed("tables") { _ = try reader.tables() }
            try expectClosed("the last commit") { _ = try reader.lastCommit() }
            try expectClosed("count") { _ = try reader.count(of: table) }
            try expectClosed("count of a range") {
                _ = try reader.count(of: .everything, in: index)
            }
            try expectClosed("a row") { _ = try reader.value(of: 2, in: table) }
            try expectClosed("rows") {
                _ = try reader.values(of: [2], in: table, into: RecordRun())
            }
            try expectClosed("a key") { _ = try reader.value(forKey: [1], in: index) }
            try expectClosed("records") { _ = try reader.records(in: table) }
            try expectClosed("next row") { _ = try rows.next(RecordRun()) }
            try expectClosed("next key") { _ = try keys.next(EntryRun()) }
            try expectClosed("another one") { _ = try bench.backend.snapshot() }
        },
    ]

    private static func key(_ row: RowID) -> [UInt8] {
        withUnsafeBytes(of: row.rawValue.bigEndian) { Array($0) }
    }

    /// Six rows of a thread's own; three of them the next step puts again.
    private static func writes(_ step: UInt32, _ thread: Int) -> [(row: RowID, value: [UInt8])] {
        (0..<6).map { index in
            let first = UInt32(thread) * 1000 + 2
            let row = RowID(first + (step * 3 + UInt32(index)) % 300)
            let size = 20 + Int(step % 50)
            return (row, pattern(step, size))
        }
    }

    private static func write(
        _ step: UInt32, _ thread: Int, _ table: TableNumber, _ index: TableNumber,
        _ backend: any Backend
    ) throws -> CommitNumber {
        try backend.commit { batch in
            for (row, value) in writes(step, thread) {
                try batch.put(value, at: row, in: table)
                try batch.put(value, for: key(row), in: index)
            }
        }
    }
}
