import CabinetBackend

extension BackendRule {
    /// The names of tables are the names of files.
    static let names: [BackendRule] = [
        BackendRule("two tables never share a name, letter case aside") { bench in
            let table = try bench.makeTable(.record, "Song")
            let other = try bench.backend.reserveTable()
            for (kind, name) in [(TableKind.record, "Song"), (.record, "sONG"), (.ordered, "SONG")]
            {
                try bench.expectRefusal(.badTableName(name), "defining \(name)") { batch in
                    try batch.put([1], at: 2, in: table)
                    try batch.define(TableDefinition(number: other, kind: kind, name: name))
                }
            }
            try bench.expectEqual(bench.backend.tables().map(\.name), ["Song"], "names")
            try bench.expectEqual(bench.backend.count(of: table), 0, "count")
        },
        BackendRule("two tables of one batch never share a name") { bench in
            let one = try bench.backend.reserveTable()
            let other = try bench.backend.reserveTable()
            try bench.expectRefusal(.badTableName("song"), "defining it") { batch in
                try batch.define(TableDefinition(number: one, kind: .record, name: "Song"))
                try batch.define(TableDefinition(number: other, kind: .record, name: "song"))
            }
            try bench.expectEqual(bench.backend.tables(), [], "tables")
        },
        BackendRule("a table may not be renamed to another's name") { bench in
            _ = try bench.makeTable(.record, "Song")
            let other = try bench.makeTable(.record, "Track")
            try bench.expectRefusal(.badTableName("SONG"), "renaming") { batch in
                try batch.define(TableDefinition(number: other, kind: .record, name: "SONG"))
            }
            try bench.expectEqual(bench.backend.tables().map(\.name), ["Song", "Track"], "names")
        },
        BackendRule("a table may change the letter case of its own name") { bench in
            let table = try bench.makeTable(.record, "song")
            try bench.commit { try $0.put([1], at: 2, in: table) }
            try bench.commit { batch in
                try batch.define(TableDefinition(number: table, kind: .record, name: "Song"))
            }
            try bench.expectEqual(bench.backend.tables().map(\.name), ["Song"], "names")
            try bench.expectEqual(bench.backend.value(of: 2, in: table), [1], "row 2")
        },
        BackendRule("a name that is set free may be taken") { bench in
            let first = try bench.makeTable(.record, "Song")
            let second = try bench.backend.reserveTable()
            let third = try bench.backend.reserveTable()
            try bench.commit { try $0.put([1], at: 2, in: first) }
            try bench.commit { batch in
                try batch.define(TableDefinition(number: first, kind: .record, name: "Old"))
                try batch.define(TableDefinition(number: second, kind: .record, name: "Song"))
                try batch.put([2], at: 2, in: second)
            }
            try bench.expectEqual(bench.backend.value(of: 2, in: first), [1], "the old table")
            try bench.expectEqual(bench.backend.value(of: 2, in: second), [2], "the new table")
            try bench.commit { batch in
                try batch.drop(second)
                try batch.define(TableDefinition(number: third, kind: .record, name: "Song"))
            }
            try bench.expectEqual(bench.backend.tables().map(\.name), ["Old", "Song"], "names")
            try bench.expectEqual(bench.backend.count(of: third), 0, "count after a drop")
        },
        BackendRule("what cannot name a file cannot name a table") { bench in
            let table = try bench.backend.reserveTable()
            let names = [
                "", "a/b", "..", "a.b", "a b", "Öl", "a\0b", "Journal", "namedBuffers",
                String(repeating: "x", count: 101),
            ]
            for name in names {
                try bench.expectRefusal(.badTableName(name), "defining '\(name)'") { batch in
                    try batch.define(TableDefinition(number: table, kind: .record, name: name))
                }
            }
            let longest = String(repeating: "x", count: 100)
            try bench.commit { batch in
                try batch.define(TableDefinition(number: table, kind: .record, name: longest))
            }
            try bench.expectEqual(bench.backend.tables().map(\.name), [longest], "names")
        },
    ]
}
