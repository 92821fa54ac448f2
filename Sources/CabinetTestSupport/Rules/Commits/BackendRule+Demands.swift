import CabinetBackend

extension BackendRule {
    /// A batch may require that rows and keys are not there.
    static let requirements: [BackendRule] = [
        BackendRule("a batch happens only if what it requires to be absent is absent") { bench in
            let (table, index) = try rowsAndKeys(bench)
            let last = try bench.backend.lastCommit()
            try bench.expectRefusal(
                .conflict(
                    [
                        .row(2, table: table), .row(4, table: table), .key([1], table: index),
                        .key([2, 0], table: index), .key([9], table: .namedBuffers),
                    ].sorted()), "what is there"
            ) { batch in
                try batch.put([7], at: 50, in: table)
                batch.require(.absent, for: [2, 0], in: index)
                batch.require(.absent, for: [1], in: index)
                batch.require(.absent, row: 4, in: table)
                batch.require(.absent, row: 5, in: table)
                batch.require(.absent, for: [2], in: index)
                batch.require(.absent, row: 2, in: table)
                batch.require(.absent, row: 2, in: table)
                batch.require(.absent, for: [9], in: .namedBuffers)
            }
            try bench.expectEqual(bench.backend.lastCommit(), last, "commits after a conflict")
            try bench.expectEqual(bench.backend.value(of: 50, in: table), nil, "a refused row")
            try bench.commit { batch in
                // The state before the batch counts.
                try batch.put([8], at: 50, in: table)
                batch.require(.absent, row: 50, in: table)
                try batch.put([8], for: [2], in: index)
                batch.require(.absent, for: [2], in: index)
                batch.require(.absent, row: 2, in: 999)
                batch.require(.absent, for: [2], in: 999)
            }
            try bench.expectEqual(bench.backend.value(of: 50, in: table), [8], "a row")
            try bench.expectEqual(bench.backend.value(forKey: [2], in: index), [8], "a key")
        },
        BackendRule("a batch that changes nothing may require something") { bench in
            let (table, _) = try rowsAndKeys(bench)
            let last = try bench.backend.lastCommit()
            try bench.expectEqual(
                bench.commit { $0.require(.absent, row: 77, in: table) }, last, "the number")
            try bench.expectRefusal(.conflict([.row(2, table: table)]), "a row that is there") {
                $0.require(.absent, row: 2, in: table)
            }
        },
        BackendRule("of many threads that require one row to be absent, one puts it") { bench in
            let table = try bench.makeTable()
            let backend = bench.backend
            let winners = Guarded<[RowID: Int]>([:])
            try inParallel(4) { thread in
                for row in 2..<60 as Range<RowID> {
                    do {
                        try backend.commit { batch in
                            try batch.put([UInt8(thread)], at: row, in: table)
                            batch.require(.absent, row: row, in: table)
                        }
                        winners.withLock { $0[row, default: 0] += 1 }
                    } catch BackendError.conflict(let conflicts) {
                        guard conflicts == [.row(row, table: table)] else {
                            throw Unexpected("\(conflicts) for row \(row)")
                        }
                    }
                }
            }
            let counts = winners.withLock { $0 }
            try bench.expectEqual(counts.count, 58, "rows that a thread has put")
            try bench.expect(counts.values.allSatisfy { $0 == 1 }, "a row was put twice")
        },
    ]

    /// A batch may add to numbers; additions never conflict.
    static let additions: [BackendRule] = [
        BackendRule("additions sum up, and a key whose number is 0 goes") { bench in
            let index = try bench.makeTable(.ordered, "Index")
            func number(_ key: [UInt8], _ table: TableNumber) throws -> [UInt8]? {
                try bench.backend.value(forKey: key, in: table)
            }
            try bench.commit { batch in
                batch.add(5, for: [1], in: index)
                batch.add(-2, for: [1], in: index)
                batch.add(9, for: [2], in: .namedBuffers)
                batch.add(0, for: [3], in: index)
                batch.add(.max, for: [4], in: index)
            }
            try bench.expectEqual(number([1], index), bytes(of: 3), "5 - 2")
            try bench.expectEqual(number([2], .namedBuffers), bytes(of: 9), "9")
            try bench.expectEqual(number([3], index), nil, "0")
            try bench.commit { batch in
                // Additions start from the state before the batch, and come last.
                try batch.put(bytes(of: 100), for: [1], in: index)
                batch.add(-4, for: [1], in: index)
                batch.add(-9, for: [2], in: .namedBuffers)
                batch.add(1, for: [4], in: index)
            }
            try bench.expectEqual(number([1], index), bytes(of: -1), "3 - 4")
            try bench.expectEqual(number([2], .namedBuffers), nil, "9 - 9")
            try bench.expectEqual(number([4], index), bytes(of: .min), "a sum that wraps around")
            try bench.expectEqual(bench.backend.count(of: index), 2, "count")
            let table = try bench.backend.reserveTable()
            try bench.commit { batch in
                try batch.define(TableDefinition(number: table, kind: .ordered, name: "New"))
                batch.add(7, for: [1], in: table)
            }
            try bench.expectEqual(number([1], table), bytes(of: 7), "in a new table")
        },
        BackendRule("an addition that is not possible refuses its batch") { bench in
            let (table, index) = try rowsAndKeys(bench)
            try bench.expectRefusal(.badAddition(index), "to 1 byte") { batch in
                try batch.put([7], at: 50, in: table)
                batch.add(1, for: [8], in: index)
                batch.add(1, for: [1], in: index)
            }
            try bench.expectRefusal(.noTable(table), "in a record table") {
                $0.add(1, for: [1], in: table)
            }
            try bench.expectRefusal(.noTable(999), "in no table") { $0.add(1, for: [1], in: 999) }
            try bench.expectEqual(bench.backend.value(of: 50, in: table), nil, "a refused row")
            try bench.expectEqual(bench.backend.value(forKey: [8], in: index), nil, "a number")
            try bench.expectEqual(bench.backend.value(forKey: [1], in: index), [1], "a key")
        },
        BackendRule("additions of many threads all count") { bench in
            let index = try bench.makeTable(.ordered, "Index")
            let backend = bench.backend
            try inParallel(4) { thread in
                for step in 0..<50 {
                    try backend.commit { batch in
                        batch.add(1, for: [1], in: index)
                        batch.add(Int64(step), for: [2], in: index)
                        batch.add(thread % 2 == 0 ? 1 : -1, for: [3], in: index)
                    }
                }
            }
            try bench.expectEqual(
                backend.value(forKey: [1], in: index), bytes(of: 200), "the first sum")
            try bench.expectEqual(
                backend.value(forKey: [2], in: index), bytes(of: 4 * 49 * 25), "the second sum")
            try bench.expectEqual(backend.value(forKey: [3], in: index), nil, "the third sum")
        },
    ]

    /// Rows 2 to 4, keys, and a name.
    static func rowsAndKeys(_ bench: Bench) throws -> (table: TableNumber, index: TableNumber) {
        let table = try bench.makeTable()
        let index = try bench.makeTable(.ordered, "Index")
        try bench.commit { batch in
            for row in 2...4 as ClosedRange<RowID> { try batch.put([1], at: row, in: table) }
            for key in [[1], [2, 0], [3]] as [[UInt8]] { try batch.put([1], for: key, in: index) }
            try batch.put([1], for: [9], in: .namedBuffers)
        }
        return (table, index)
    }
}
