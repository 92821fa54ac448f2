import CabinetBackend

extension BackendRule {
    /// Rows come and go.
    static let records: [BackendRule] = [
        BackendRule("a row comes back as it was put") { bench in
            let table = try bench.makeTable()
            try bench.commit { try $0.put([1, 2, 3], at: 2, in: table) }
            try bench.expectEqual(bench.backend.value(of: 2, in: table), [1, 2, 3], "row 2")
            try bench.expectEqual(bench.backend.value(of: 3, in: table), nil, "row 3")
        },
        BackendRule("a row that is put again is replaced") { bench in
            let table = try bench.makeTable()
            for length in [10, 1000, 3, 3, 70_000, 0, 5] {
                try bench.commit { try $0.put(pattern(7, length), at: 2, in: table) }
                try bench.expectEqual(
                    bench.backend.value(of: 2, in: table), pattern(7, length),
                    "row 2 with \(length) bytes")
                try bench.expectEqual(bench.backend.count(of: table), 1, "count")
            }
        },
        BackendRule("a deleted row is gone") { bench in
            let table = try bench.makeTable()
            try bench.commit { batch in
                for row in 2...9 as ClosedRange<RowID> {
                    try batch.put(pattern(row.rawValue, 20), at: row, in: table)
                }
            }
            try bench.commit { batch in
                for row in [2, 5, 9] as [RowID] { try batch.deleteRow(row, in: table) }
            }
            try bench.expectEqual(bench.backend.value(of: 5, in: table), nil, "row 5")
            try bench.expectEqual(bench.backend.count(of: table), 5, "count")
            try bench.expectEqual(
                bench.backend.rows(in: table).map(\.row).sorted(), [3, 4, 6, 7, 8], "rows")
        },
        BackendRule("deleting a row that is not there is no mistake") { bench in
            let table = try bench.makeTable()
            try bench.commit { try $0.put([1], at: 2, in: table) }
            try bench.commit { batch in
                try batch.deleteRow(3, in: table)
                try batch.deleteRow(4_000_000_000, in: table)
                try batch.put([2], at: 4, in: table)
            }
            try bench.expectEqual(bench.backend.count(of: table), 2, "count")
            try bench.expectEqual(bench.backend.value(of: 4, in: table), [2], "row 4")
        },
        BackendRule("a row may be put again after its deletion") { bench in
            let table = try bench.makeTable()
            try bench.commit { try $0.put([1], at: 2, in: table) }
            try bench.commit { try $0.deleteRow(2, in: table) }
            try bench.commit { try $0.put([2], at: 2, in: table) }
            try bench.expectEqual(bench.backend.value(of: 2, in: table), [2], "row 2")
            try bench.expectEqual(bench.backend.count(of: table), 1, "count")
        },
        BackendRule("the last change of a row in a batch counts") { bench in
            let table = try bench.makeTable()
            try bench.commit { try $0.put([0], at: 4, in: table) }
            try bench.commit { batch in
                try batch.put([1], at: 2, in: table)
                try batch.put([2, 2], at: 2, in: table)
                try batch.put([3], at: 3, in: table)
                try batch.deleteRow(3, in: table)
                try batch.deleteRow(4, in: table)
                try batch.put([4], at: 4, in: table)
            }
            try bench.expectEqual(bench.backend.value(of: 2, in: table), [2, 2], "put twice")
            try bench.expectEqual(bench.backend.value(of: 3, in: table), nil, "put, deleted")
            try bench.expectEqual(bench.backend.value(of: 4, in: table), [4], "deleted, put")
            try bench.expectEqual(bench.backend.count(of: table), 2, "count")
        },
        BackendRule("rows of one table are not those of another") { bench in
            let one = try bench.makeTable(.record, "One")
            let other = try bench.makeTable(.record, "Other")
            try bench.commit { batch in
                try batch.put([1], at: 2, in: one)
                try batch.put([2], at: 2, in: other)
                try batch.put([3], at: 3, in: other)
            }
            try bench.commit { try $0.deleteRow(2, in: one) }
            try bench.expectEqual(bench.backend.value(of: 2, in: one), nil, "row 2 of one")
            try bench.expectEqual(bench.backend.value(of: 2, in: other), [2], "row 2 of other")
            try bench.expectEqual(bench.backend.count(of: one), 0, "count of one")
            try bench.expectEqual(bench.backend.count(of: other), 2, "count of other")
        },
        BackendRule("rows may lie far apart") { bench in
            let table = try bench.makeTable()
            let rows: [RowID] = [2, 255, 256, 65_537, 1_048_576, 2_147_483_648, 4_294_967_294]
            try bench.commit { batch in
                for row in rows { try batch.put(pattern(row.rawValue, 9), at: row, in: table) }
            }
            for row in rows {
                try bench.expectEqual(
                    bench.backend.value(of: row, in: table), pattern(row.rawValue, 9), "row \(row)")
            }
            try bench.expectEqual(bench.backend.rows(in: table).map(\.row).sorted(), rows, "rows")
        },
        BackendRule("a table is what a thousand random commits made of it") { bench in
            let table = try bench.makeTable()
            var numbers = SeededNumbers(1)
            var model: [RowID: [UInt8]] = [:]
            for step in 0..<1000 {
                try bench.commit { batch in
                    for _ in 0..<Int.random(in: 1...8, using: &numbers) {
                        let row = RowID(UInt32.random(in: 2...600, using: &numbers))
                        if Int.random(in: 0..<3, using: &numbers) == 0 {
                            model[row] = nil
                            try batch.deleteRow(row, in: table)
                        } else {
                            let size = [0, 5, 30, 200, 3000].randomElement(using: &numbers) ?? 0
                            model[row] = pattern(UInt32(step), size)
                            try batch.put(pattern(UInt32(step), size), at: row, in: table)
                        }
                    }
                }
            }
            try bench.expectEqual(bench.backend.count(of: table), model.count, "count")
            let found = try bench.backend.rows(in: table)
            try bench.expectEqual(found.count, model.count, "rows in a walk")
            for (row, value) in found { try bench.expectEqual(value, model[row], "row \(row)") }
            for row in 2...600 as ClosedRange<RowID> {
                try bench.expectEqual(
                    bench.backend.value(of: row, in: table), model[row], "row \(row)")
            }
        },
    ]
}
