import CabinetBackend

extension BackendRule {
    /// A walk meets each row that is there throughout exactly once, whatever happens meanwhile.
    static let walks: [BackendRule] = [
        BackendRule("a walk meets each row once, with its value") { bench in
            let table = try filledTable(bench)
            let found = try bench.backend.rows(in: table)
            try expectOnce(found.map(\.row), all: walkRows)
            for (row, value) in found {
                try bench.expectEqual(value, pattern(row.rawValue, 60), "\(row)")
            }
        },
        BackendRule("a walk over an empty table ends at once") { bench in
            let table = try bench.makeTable()
            let run = RecordRun()
            run.append(7, UnsafeRawBufferPointer(start: nil, count: 0))
            let cursor = try bench.backend.records(in: table)
            try bench.expect(try !cursor.next(run), "there was something")
            try bench.expect(run.isEmpty && run.next() == nil, "the run was not emptied")
        },
        BackendRule("a walk that has ended stays ended") { bench in
            let table = try bench.makeTable()
            try bench.commit { try $0.put([1], at: 2, in: table) }
            let run = RecordRun()
            let cursor = try bench.backend.records(in: table)
            _ = try cursor.next(run)
            try bench.expect(try !cursor.next(run) && run.isEmpty, "a run for no row")
            try bench.expect(try !cursor.next(run) && run.isEmpty, "it went on")
            let entries = try bench.backend.entries(
                in: .namedBuffers, range: .everything, descending: false)
            let keys = EntryRun()
            for _ in 0..<3 {
                try bench.expect(try !entries.next(keys) && keys.isEmpty, "a run for no key")
            }
        },
        BackendRule("a run holds about 256 KiB") { bench in
            let table = try filledTable(bench)
            let run = RecordRun()
            let cursor = try bench.backend.records(in: table)
            while try cursor.next(run) {
                var bytes = 0
                while let (_, value) = run.next() { bytes += value.count }
                try bench.expect(bytes <= 512 << 10, "a run of \(bytes) bytes")
            }
        },
        BackendRule("a walk in the middle of which rows grow meets each once") { bench in
            let table = try filledTable(bench)
            var size = 60
            let found = try bench.backend.rows(in: table) {
                guard size < 3000 else { return }
                size += 1000
                try bench.commit { batch in
                    for row in walkRows where row.rawValue % 7 == 0 {
                        try batch.put(pattern(row.rawValue, size), at: row, in: table)
                    }
                }
            }
            try bench.expect(size > 1060, "nothing grew: the table fits a single run")
            try expectOnce(found.map(\.row), all: walkRows)
            for (row, value) in found {
                try bench.expect(
                    isPattern(value) && value.starts(with: pattern(row.rawValue, 4)),
                    "row \(row) came with another's value")
            }
        },
        BackendRule("a walk in the middle of which rows come and go meets each once") { bench in
            let table = try filledTable(bench)
            var next = walkRows.upperBound
            let found = try bench.backend.rows(in: table) {
                try bench.commit { batch in
                    for row in walkRows where row.rawValue % 3 == 0 {
                        try batch.deleteRow(row, in: table)
                    }
                    for _ in 0..<500 {
                        next = next.next
                        try batch.put(pattern(next.rawValue, 60), at: next, in: table)
                    }
                }
                try bench.commit { batch in
                    for row in walkRows where row.rawValue % 9 == 0 {
                        try batch.put(pattern(row.rawValue, 900), at: row, in: table)
                    }
                }
                if next > 100_000 { throw Unexpected("the walk has no end") }
            }
            let rows = found.map(\.row)
            try bench.expectEqual(Set(rows).count, rows.count, "rows met, each once")
            try expectOnce(
                rows.filter { walkRows.contains($0) && $0.rawValue % 3 != 0 },
                all: walkRows.filter { $0.rawValue % 3 != 0 })
        },
        BackendRule("several walks at once do not disturb each other") { bench in
            let table = try filledTable(bench)
            let runs = (0..<3).map { _ in RecordRun() }
            let cursors = try runs.map { _ in try bench.backend.records(in: table) }
            var rows: [[RowID]] = [[], [], []]
            var isRunning = true
            while isRunning {
                isRunning = false
                for index in [0, 1, 2, 1] where try cursors[index].next(runs[index]) {
                    isRunning = rows[index].count <= walkRows.count
                    while let (row, _) = runs[index].next() { rows[index].append(row) }
                }
            }
            for met in rows { try expectOnce(met, all: walkRows) }
        },
        BackendRule("a walk inside a walk meets all rows") { bench in
            let table = try filledTable(bench)
            var inner = 0
            let found = try bench.backend.rows(in: table) {
                inner += 1
                try expectOnce(bench.backend.rows(in: table).map(\.row), all: walkRows)
                _ = try bench.backend.value(of: 2, in: table)
            }
            try bench.expect(inner > 1, "the table fits a single run")
            try expectOnce(found.map(\.row), all: walkRows)
        },
        BackendRule("a walk may be left at any time") { bench in
            let table = try filledTable(bench)
            for _ in 0..<20 {
                let cursor = try bench.backend.records(in: table)
                _ = try cursor.next(RecordRun())
            }
            try expectOnce(bench.backend.rows(in: table).map(\.row), all: walkRows)
        },
        BackendRule("a walk goes on while other threads commit") { bench in
            let table = try filledTable(bench)
            let backend = bench.backend
            let commits = Rounds()
            let done = Signal()
            try inParallel(3) { index in
                if index == 0 {
                    defer { done.raise() }
                    for _ in 0..<5 {
                        let found = try backend.rows(in: table) { commits.waitForMore(2) }
                        try expectOnce(found.map(\.row), all: walkRows)
                        guard found.allSatisfy({ isPattern($0.value) }) else {
                            throw Unexpected("a value was half written")
                        }
                    }
                }
                defer { commits.end() }
                var numbers = SeededNumbers(UInt64(index))
                while !done.isRaised {
                    defer { commits.count() }
                    try backend.commit { batch in
                        for _ in 0..<10 {
                            let row = RowID(
                                UInt32.random(in: 2...walkRows.upperBound.rawValue, using: &numbers)
                            )
                            let size = Int.random(in: 8...400, using: &numbers)
                            try batch.put(pattern(row.rawValue, size), at: row, in: table)
                        }
                    }
                }
            }
        },
        BackendRule("who reads ahead does not wait for a batch that is being written") { bench in
            let table = try filledTable(bench)
            let batch = bench.backend.makeBatch()
            while batch.stagedChunks == 0 {
                try batch.put(pattern(2, 65_536), at: walkRows.upperBound.next, in: table)
            }
            let walk = WalkAhead(try bench.backend.records(in: table))
            let isInTime = walk.read(within: bench.engine.patience)
            bench.backend.discard(batch)
            try bench.expect(isInTime, "it waited")
            try expectOnce(try walk.finish(), all: walkRows)
        },
    ]

    /// So many rows that a walk takes several runs.
    private static let walkRows: ClosedRange<RowID> = 2...12_000

    private static func filledTable(_ bench: Bench) throws -> TableNumber {
        let table = try bench.makeTable()
        try bench.commit { batch in
            for row in walkRows { try batch.put(pattern(row.rawValue, 60), at: row, in: table) }
        }
        return table
    }

    private static func expectOnce(
        _ found: [RowID], all wanted: some Sequence<RowID>
    ) throws {
        var missing = Set(wanted)
        for row in found where missing.remove(row) == nil {
            throw Unexpected("row \(row) was met twice, or should not be there")
        }
        if let row = missing.min() { throw Unexpected("row \(row) was not met") }
    }
}
