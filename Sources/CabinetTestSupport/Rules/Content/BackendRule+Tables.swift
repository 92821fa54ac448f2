import CabinetBackend

extension BackendRule {
    /// Tables are defined, changed and dropped by batches.
    static let tables: [BackendRule] = [
        BackendRule("the catalog and the named buffers are always there") { bench in
            try bench.commit { batch in
                try batch.put([1], for: [1], in: .catalog)
                try batch.put([2], for: [1], in: .namedBuffers)
            }
            try bench.expectEqual(bench.backend.value(forKey: [1], in: .catalog), [1], "catalog")
            try bench.expectEqual(
                bench.backend.value(forKey: [1], in: .namedBuffers), [2], "named buffers")
            try bench.expectEqual(bench.backend.tables(), [], "tables")
        },
        BackendRule("tables are listed by number, with all that was said of them") { bench in
            let numbers = try (0..<3).map { _ in try bench.backend.reserveTable() }
            let definitions = [
                TableDefinition(
                    number: numbers[2], kind: .record, name: "Song", classNumber: 7,
                    classVersion: 3),
                TableDefinition(
                    number: numbers[0], kind: .ordered, name: "Song.1.index", flags: .derived),
                TableDefinition(
                    number: numbers[1], kind: .named, name: "more-names_2",
                    flags: TableFlags(rawValue: 0xF4)),
            ]
            try bench.commit { batch in
                for definition in definitions { try batch.define(definition) }
            }
            try bench.expectEqual(
                bench.backend.tables(), definitions.sorted { $0.number < $1.number }, "tables")
        },
        BackendRule("a table may be used in the batch that defines it") { bench in
            let record = try bench.backend.reserveTable()
            let ordered = try bench.backend.reserveTable()
            try bench.commit { batch in
                try batch.define(TableDefinition(number: record, kind: .record, name: "Song"))
                try batch.put([1], at: 2, in: record)
                try batch.define(TableDefinition(number: ordered, kind: .ordered, name: "Index"))
                try batch.put([2], for: [3], in: ordered)
            }
            try bench.expectEqual(bench.backend.value(of: 2, in: record), [1], "row")
            try bench.expectEqual(bench.backend.value(forKey: [3], in: ordered), [2], "key")
        },
        BackendRule("a definition in a refused batch does not exist") { bench in
            let table = try bench.backend.reserveTable()
            let song = TableDefinition(number: table, kind: .record, name: "Song")
            try bench.expectRefusal(.noTable(999), "an undefined table") { batch in
                try batch.define(song)
                try batch.put([1], at: 2, in: table)
                try batch.put([1], at: 2, in: 999)
            }
            try bench.expectEqual(bench.backend.tables(), [], "tables")
            try bench.commit { batch in
                try batch.define(song)
                try batch.put([2], at: 3, in: table)
            }
            try bench.expectEqual(bench.backend.count(of: table), 1, "count")
        },
        BackendRule("a table that is defined anew keeps what it holds") { bench in
            let table = try bench.makeTable(.record, "Song")
            try bench.commit { try $0.put([1], at: 2, in: table) }
            let changed = TableDefinition(
                number: table, kind: .record, name: "Track", classNumber: 4, classVersion: 9,
                flags: [.keepsHistory, TableFlags(rawValue: 0x40)])
            try bench.commit { batch in
                try batch.define(changed)
                try batch.put([2], at: 3, in: table)
            }
            try bench.expectEqual(bench.backend.tables(), [changed], "tables")
            try bench.expectEqual(bench.backend.value(of: 2, in: table), [1], "row 2")
            try bench.expectEqual(bench.backend.value(of: 3, in: table), [2], "row 3")
        },
        BackendRule("a change of a table in a refused batch is taken back") { bench in
            let table = try bench.makeTable(.record, "Song")
            try bench.commit { try $0.put([1], at: 2, in: table) }
            let before = try bench.backend.tables()
            try bench.expectRefusal(.noTable(999), "an undefined table") { batch in
                try batch.define(TableDefinition(number: table, kind: .record, name: "Track"))
                try batch.put([1], at: 2, in: 999)
            }
            try bench.expectRefusal(.noTable(999), "an undefined table") { batch in
                try batch.drop(table)
                try batch.put([1], at: 2, in: 999)
            }
            try bench.expectEqual(bench.backend.tables(), before, "tables")
            try bench.expectEqual(bench.backend.value(of: 2, in: table), [1], "row 2")
        },
        BackendRule("a dropped table is gone with all it held") { bench in
            let record = try bench.makeTable(.record, "Song")
            let ordered = try bench.makeTable(.ordered, "Index")
            try bench.commit { batch in
                try batch.put([1], at: 2, in: record)
                try batch.put([1], for: [2], in: ordered)
            }
            try bench.commit { batch in
                try batch.drop(record)
                try batch.drop(ordered)
            }
            try bench.expectEqual(bench.backend.tables(), [], "tables")
            try bench.expectEqual(bench.backend.value(of: 2, in: record), nil, "row")
            try bench.expectEqual(bench.backend.value(forKey: [2], in: ordered), nil, "key")
            try bench.expectEqual(bench.backend.count(of: record), 0, "rows")
            try bench.expectEqual(bench.backend.count(of: ordered), 0, "keys")
            try bench.expectEqual(bench.backend.rows(in: record).count, 0, "walk")
            try bench.expectEqual(bench.backend.keys(in: ordered).count, 0, "walk over keys")
        },
        BackendRule("the number of a dropped table is never used again") { bench in
            let table = try bench.makeTable(.record, "Song")
            try bench.commit { try $0.drop(table) }
            try bench.expectRefusal(.noTable(table), "defining it again") { batch in
                try batch.define(TableDefinition(number: table, kind: .record, name: "Song"))
            }
            for _ in 0..<10 {
                try bench.expect(try bench.backend.reserveTable() != table, "given out again")
            }
        },
        BackendRule("a table that was never defined reads as an empty one") { bench in
            for table in [try bench.backend.reserveTable(), 40_000] {
                try bench.expectEqual(bench.backend.value(of: 2, in: table), nil, "row")
                try bench.expectEqual(bench.backend.value(forKey: [2], in: table), nil, "key")
                try bench.expectEqual(bench.backend.count(of: table), 0, "count")
                try bench.expectEqual(bench.backend.rows(in: table).count, 0, "walk")
                try bench.expectEqual(bench.backend.keys(in: table).count, 0, "walk over keys")
            }
        },
        BackendRule("a batch may write to defined tables alone") { bench in
            let table = try bench.backend.reserveTable()
            try bench.expectRefusal(.noTable(table), "put") { try $0.put([1], at: 2, in: table) }
            try bench.expectRefusal(.noTable(table), "delete") { try $0.deleteRow(2, in: table) }
            try bench.expectRefusal(.noTable(table), "put key") { batch in
                try batch.put([1], for: [1], in: table)
            }
            try bench.expectRefusal(.noTable(table), "delete key") { batch in
                try batch.deleteKey([1], in: table)
            }
            try bench.expectRefusal(.noTable(table), "drop") { try $0.drop(table) }
        },
        BackendRule("a table is of one kind for ever") { bench in
            let record = try bench.makeTable(.record, "Song")
            let ordered = try bench.makeTable(.ordered, "Index")
            try bench.expectRefusal(.noTable(ordered), "a row for keys") { batch in
                try batch.put([1], at: 2, in: ordered)
            }
            try bench.expectRefusal(.noTable(ordered), "a row deleted of keys") { batch in
                try batch.deleteRow(2, in: ordered)
            }
            try bench.expectRefusal(.noTable(.namedBuffers), "a row for names") { batch in
                try batch.put([1], at: 2, in: .namedBuffers)
            }
            try bench.expectRefusal(.noTable(record), "a key for rows") { batch in
                try batch.put([1], for: [1], in: record)
            }
            try bench.expectRefusal(.noTable(record), "a key deleted of rows") { batch in
                try batch.deleteKey([1], in: record)
            }
            try bench.expectRefusal(.noTable(record), "another kind") { batch in
                try batch.define(TableDefinition(number: record, kind: .ordered, name: "Song"))
            }
        },
        BackendRule("a table is there between its definition and its drop") { bench in
            let table = try bench.backend.reserveTable()
            let song = TableDefinition(number: table, kind: .record, name: "Song")
            try bench.expectRefusal(.noTable(table), "used before it is defined") { batch in
                try batch.put([1], at: 2, in: table)
                try batch.define(song)
            }
            try bench.commit { try $0.define(song) }
            try bench.expectRefusal(.noTable(table), "used after it is dropped") { batch in
                try batch.drop(table)
                try batch.put([1], at: 2, in: table)
            }
            try bench.expectRefusal(.noTable(table), "dropped twice") { batch in
                try batch.drop(table)
                try batch.drop(table)
            }
            try bench.expectEqual(bench.backend.tables(), [song], "tables")
        },
    ]
}
