import CabinetBackend

extension BackendRule {
    /// Rows and table numbers are given out once.
    static let numbers: [BackendRule] = [
        BackendRule("rows begin at the first row and follow each other") { bench in
            let table = try bench.makeTable()
            try bench.expectEqual(bench.backend.reserveRows(1, in: table), 2...2, "one row")
            try bench.expectEqual(bench.backend.reserveRows(10, in: table), 3...12, "ten rows")
            try bench.expectEqual(bench.backend.reserveRows(1, in: table), 13...13, "one more")
        },
        BackendRule("rows may be reserved before their table is defined") { bench in
            let one = try bench.backend.reserveTable()
            let other = try bench.backend.reserveTable()
            let rows = try bench.backend.reserveRows(5, in: one)
            try bench.expectEqual(rows, 2...6, "rows")
            try bench.expectEqual(bench.backend.reserveRows(1, in: other), 2...2, "another table")
            try bench.commit { batch in
                try batch.define(TableDefinition(number: one, kind: .record, name: "Song"))
                for row in rows { try batch.put([1], at: row, in: one) }
            }
            try bench.expectEqual(bench.backend.reserveRows(1, in: one), 7...7, "the next row")
        },
        BackendRule("a committed row is never given out again") { bench in
            let table = try bench.makeTable()
            try bench.commit { try $0.put([1], at: 1000, in: table) }
            let next = try bench.backend.reserveRows(1, in: table).lowerBound
            try bench.expect(next > 1000, "row \(next) after row 1000 was committed")
            try bench.commit { try $0.put([1], at: next, in: table) }
            try bench.commit { batch in
                try batch.deleteRow(1000, in: table)
                try batch.deleteRow(next, in: table)
            }
            let later = try bench.backend.reserveRows(1, in: table).lowerBound
            try bench.expect(later > next, "row \(later) after row \(next) was deleted")
        },
        BackendRule("the highest row is known") { bench in
            let table = try bench.makeTable()
            try bench.expectEqual(bench.backend.highestRow(of: table), .none, "of no row")
            try bench.commit { batch in
                for row in [2, 1000, 7] as [RowID] { try batch.put([1], at: row, in: table) }
            }
            try bench.commit { try $0.deleteRow(7, in: table) }
            let highest = try bench.backend.highestRow(of: table)
            let next = try bench.backend.reserveRows(1, in: table).lowerBound
            try bench.expect(
                highest >= 1000 && highest < next, "row \(highest) after row 1000, before \(next)")
        },
        BackendRule("reserved rows are unique across threads") { bench in
            let table = try bench.makeTable()
            let backend = bench.backend
            let taken = Guarded<Set<RowID>>([])
            try inParallel(4) { index in
                for step in 0..<200 {
                    let rows = try backend.reserveRows(UInt32(1 + (step + index) % 7), in: table)
                    let isNew = taken.withLock { taken in
                        rows.allSatisfy { taken.insert($0).inserted }
                    }
                    if !isNew { throw Unexpected("a row of \(rows) was given out twice") }
                }
            }
        },
        BackendRule("rows run out with an error that takes none") { bench in
            let table = try bench.makeTable()
            try bench.expectEqual(bench.backend.reserveRows(5, in: table), 2...6, "rows")
            try bench.expectError(.rowsExhausted(table), "more rows than there are") {
                _ = try bench.backend.reserveRows(.max, in: table)
            }
            try bench.expectEqual(
                bench.backend.reserveRows(4_294_967_287, in: table), 7...4_294_967_293,
                "all rows but one")
            try bench.expectError(.rowsExhausted(table), "two rows of one") {
                _ = try bench.backend.reserveRows(2, in: table)
            }
            try bench.expectEqual(
                bench.backend.reserveRows(1, in: table), 4_294_967_294...4_294_967_294,
                "the last row")
            try bench.expectError(.rowsExhausted(table), "one row of none") {
                _ = try bench.backend.reserveRows(1, in: table)
            }
        },
        BackendRule("table numbers begin at the first free one and are given out once") { bench in
            let backend = bench.backend
            let taken = Guarded<[TableNumber]>([])
            try inParallel(4) { _ in
                for _ in 0..<50 {
                    let number = try backend.reserveTable()
                    taken.withLock { $0.append(number) }
                }
            }
            try bench.expectEqual(
                taken.withLock { $0.sorted() }, Array(TableNumber.firstFree..<202), "numbers")
        },
        BackendRule("a table number that was defined is not given out") { bench in
            try bench.commit { batch in
                try batch.define(TableDefinition(number: 9, kind: .record, name: "Song"))
            }
            for _ in 0..<20 {
                try bench.expect(try bench.backend.reserveTable() != 9, "9 was given out")
            }
        },
        BackendRule("table numbers run out with an error") { bench in
            // An engine that gives out what lies behind a defined number has few left then.
            let defined = TableNumber(TableNumber.max.rawValue - 300)
            var given: Set<TableNumber> = [defined]
            for _ in 0..<300 { given.insert(try bench.backend.reserveTable()) }
            try bench.commit { batch in
                try batch.define(TableDefinition(number: defined, kind: .record, name: "Song"))
            }
            while !given.contains(.max) {
                let number = try bench.backend.reserveTable()
                try bench.expect(given.insert(number).inserted, "\(number) was given out twice")
            }
            try bench.expect(given.count > 600, "\(given.count) numbers")
            try bench.expectError(.tablesExhausted, "one more") {
                _ = try bench.backend.reserveTable()
            }
        },
    ]
}
