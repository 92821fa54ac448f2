import CabinetBackend

extension BackendRule {
    /// What must still hold when the store is opened again.
    static let reopening: [BackendRule] = [
        BackendRule("what was committed is there after reopening", needsReopening: true) { bench in
            let songs = try bench.makeTable(.record, "Song")
            let index = try bench.makeTable(.ordered, "Song.1")
            try bench.commit { batch in
                for row in 2...3000 as ClosedRange<RowID> {
                    try batch.put(pattern(row.rawValue, 70), at: row, in: songs)
                    try batch.put(pattern(row.rawValue, 9), for: Array("\(row)".utf8), in: index)
                }
                try batch.put([1], for: [], in: .namedBuffers)
                try batch.put([2], for: [2], in: .catalog)
                try batch.put([], for: [3], in: .namedBuffers)
            }
            let tables = try bench.backend.tables()
            let keys = try bench.backend.keys(in: index)
            try bench.reopen()
            try bench.expectEqual(bench.backend.tables(), tables, "tables")
            try bench.expectEqual(bench.backend.count(of: songs), 2999, "count")
            for row in 2...3000 as ClosedRange<RowID> {
                try bench.expectEqual(
                    bench.backend.value(of: row, in: songs), pattern(row.rawValue, 70), "row \(row)"
                )
            }
            let found = try bench.backend.keys(in: index)
            try bench.expect(
                found.map(\.key) == keys.map(\.key) && found.map(\.value) == keys.map(\.value),
                "the ordered table differs")
            try bench.expectEqual(
                bench.backend.value(forKey: [], in: .namedBuffers), [1], "the empty name")
            try bench.expectEqual(bench.backend.value(forKey: [2], in: .catalog), [2], "catalog")
            try bench.expectEqual(
                bench.backend.value(forKey: [3], in: .namedBuffers), [], "an empty value")
        },
        BackendRule("deletions and drops stay after reopening", needsReopening: true) { bench in
            let songs = try bench.makeTable(.record, "Song")
            let lists = try bench.makeTable(.record, "Playlist")
            try bench.commit { batch in
                for row in 2...9 as ClosedRange<RowID> {
                    try batch.put([1], at: row, in: songs)
                    try batch.put([1], at: row, in: lists)
                }
            }
            try bench.commit { batch in
                try batch.deleteRow(4, in: songs)
                try batch.drop(lists)
            }
            try bench.reopen()
            try bench.expectEqual(bench.backend.count(of: songs), 7, "songs")
            try bench.expectEqual(bench.backend.value(of: 4, in: songs), nil, "row 4")
            try bench.expectEqual(bench.backend.tables().map(\.number), [songs], "tables")
            try bench.expectEqual(bench.backend.count(of: lists), 0, "lists")
            let next = try bench.backend.reserveTable()
            try bench.expect(next != lists && next != songs, "table \(next) was given out again")
            try bench.expectRefusal(.noTable(lists), "defining the dropped table") { batch in
                try batch.define(TableDefinition(number: lists, kind: .record, name: "Playlist"))
            }
        },
        BackendRule("what was not committed is not there after reopening", needsReopening: true) {
            bench in
            let table = try bench.makeTable()
            try bench.commit { try $0.put([1], at: 2, in: table) }
            let given = bench.backend.makeBatch()
            for row in 3...300 as ClosedRange<RowID> {
                try given.put([UInt8](repeating: 1, count: 65_536), at: row, in: table)
            }
            bench.backend.discard(given)
            let small = bench.backend.makeBatch()
            try small.put([2], at: 2, in: table)
            bench.backend.discard(small)
            try bench.expectRefusal(.noTable(999), "an undefined table") { batch in
                try batch.put([3], at: 2, in: table)
                try batch.put([3], at: 2, in: 999)
            }
            try bench.reopen()
            try bench.expectEqual(bench.backend.count(of: table), 1, "count")
            try bench.expectEqual(bench.backend.value(of: 2, in: table), [1], "row 2")
        },
        BackendRule("committed rows are not given out after reopening", needsReopening: true) {
            bench in
            let table = try bench.makeTable()
            try bench.commit { batch in
                try batch.put([1], at: 500, in: table)
                try batch.put([1], at: 600, in: table)
            }
            try bench.commit { try $0.deleteRow(600, in: table) }
            try bench.reopen()
            let row = try bench.backend.reserveRows(1, in: table).lowerBound
            try bench.expect(row > 600, "row \(row) was given out")
        },
        BackendRule("a store keeps its number when it is opened again", needsReopening: true) {
            bench in
            _ = try bench.makeTable()
            let number = bench.backend.identity
            for access in [Access.readOnly, .readWrite] {
                try bench.reopen(access)
                try bench.expectEqual(bench.backend.identity, number, "the number, \(access)")
            }
        },
        BackendRule("commit numbers go on growing after reopening", needsReopening: true) { bench in
            let table = try bench.makeTable()
            let last = try bench.commit { try $0.put([1], at: 2, in: table) }
            try bench.reopen()
            try bench.expectEqual(bench.commit { _ in }, last, "the last number")
            let next = try bench.commit { try $0.put([2], at: 2, in: table) }
            try bench.expect(next > last, "\(next) came after \(last)")
        },
        BackendRule("a batch of many chunks is there after reopening", needsReopening: true) {
            bench in
            let table = try bench.makeTable()
            try bench.commit { batch in
                for row in 2...600 as ClosedRange<RowID> {
                    try batch.put(
                        [UInt8](repeating: UInt8(row.rawValue % 251), count: 65_536), at: row,
                        in: table)
                }
            }
            try bench.reopen()
            try bench.expectEqual(bench.backend.count(of: table), 599, "count")
            for (row, value) in try bench.backend.rows(in: table) {
                try bench.expect(
                    areSame(value, [UInt8](repeating: UInt8(row.rawValue % 251), count: 65_536)),
                    "row \(row) came back changed")
            }
        },
        BackendRule("tables keep flags that no engine knows", needsReopening: true) { bench in
            let numbers = try (0..<2).map { _ in try bench.backend.reserveTable() }
            let definitions = [
                TableDefinition(
                    number: numbers[0], kind: .record, name: "Song", classNumber: 3,
                    flags: TableFlags(rawValue: 0xF2)),
                TableDefinition(
                    number: numbers[1], kind: .ordered, name: "Index",
                    flags: TableFlags(rawValue: 0x81)),
            ]
            try bench.commit { batch in
                for definition in definitions { try batch.define(definition) }
                try batch.put([1], at: 2, in: numbers[0])
                try batch.put([1], for: [2], in: numbers[1])
            }
            for access in [Access.readOnly, .readWrite] {
                try bench.reopen(access)
                try bench.expectEqual(bench.backend.tables(), definitions, "tables, \(access)")
            }
        },
        BackendRule("renamed tables keep their rows after reopening", needsReopening: true) {
            bench in
            let first = try bench.makeTable(.record, "Song")
            try bench.commit { try $0.put([1], at: 2, in: first) }
            let second = try bench.backend.reserveTable()
            try bench.commit { batch in
                try batch.define(TableDefinition(number: first, kind: .record, name: "Track"))
                try batch.define(TableDefinition(number: second, kind: .record, name: "Song"))
                try batch.put([2], at: 2, in: second)
            }
            try bench.reopen()
            try bench.expectEqual(bench.backend.tables().map(\.name), ["Track", "Song"], "names")
            try bench.expectEqual(bench.backend.value(of: 2, in: first), [1], "the renamed table")
            try bench.expectEqual(bench.backend.value(of: 2, in: second), [2], "the new table")
        },
        BackendRule(
            "a store opened for reading shows all and changes nothing", needsReopening: true
        ) { bench in
            let table = try bench.makeTable()
            try bench.commit { try $0.put([1], at: 2, in: table) }
            try bench.reopen(.readOnly)
            try bench.expectEqual(bench.backend.access, .readOnly, "access")
            try bench.expectEqual(bench.backend.value(of: 2, in: table), [1], "row 2")
            try bench.expectEqual(bench.backend.rows(in: table).count, 1, "walk")
            try expectReadOnly(bench, table)
            try bench.reopen()
            try bench.expectEqual(bench.backend.value(of: 2, in: table), [1], "row 2 later")
        },
    ]

    static func expectReadOnly(_ bench: Bench, _ table: TableNumber) throws {
        let refused = BackendError.readOnly(path: bench.backend.location)
        try bench.expectRefusal(refused, "commit") { try $0.put([2], at: 2, in: table) }
        try bench.expectError(refused, "reserveTable") { _ = try bench.backend.reserveTable() }
        try bench.expectError(refused, "reserveRows") {
            _ = try bench.backend.reserveRows(1, in: table)
        }
    }
}
