import CabinetBackend

extension BackendRule {
    /// All callers that claim a table get the same definition.
    static let claims: [BackendRule] = [
        BackendRule("a claim gives the table that is there, or one that is kept for it") { bench in
            let song = TableDefinition(
                number: try bench.backend.reserveTable(), kind: .record, name: "Song",
                classNumber: 0, classVersion: 3)
            try bench.commit { try $0.define(song) }
            func claim(_ kind: TableKind, _ name: String) throws -> TableDefinition {
                try bench.backend.claim(TableClaim(kind: kind, name: name, classVersion: 5))
            }
            try bench.expectEqual(claim(.record, "Song"), song, "a table that is there")
            try bench.expectEqual(claim(.record, "sONG"), song, "in another letter case")
            let list = try claim(.record, "Playlist")
            try bench.expectEqual(list.name, "Playlist", "name")
            try bench.expectEqual(list.kind, .record, "kind")
            try bench.expectEqual(list.classNumber, 1, "the lowest free class number")
            try bench.expectEqual(list.classVersion, 5, "class version")
            let derived = TableClaim(kind: .ordered, name: "Index", flags: .derived)
            let index = try bench.backend.claim(derived)
            try bench.expectEqual(index.flags, .derived, "the flags of a new table")
            try bench.expectEqual(index.classNumber, 0, "the class number of an ordered table")
            let genre = try claim(.record, "Genre")
            try bench.expectEqual(genre.classNumber, 2, "the next class number")
            try bench.expectEqual(
                Set([song, list, index, genre].map(\.number)).count, 4, "table numbers")
            try bench.expectEqual(claim(.record, "playlist"), list, "claimed again")
            try bench.expectEqual(bench.backend.tables(), [song], "tables before a definition")
            try bench.commit { batch in
                try batch.define(list)
                try batch.define(index)
            }
            try bench.expectEqual(claim(.record, "Playlist"), list, "claimed and defined")
            try bench.expectEqual(claim(.record, "Genre"), genre, "claimed and not defined")
            try bench.expect(
                bench.backend.reserveTable() != genre.number, "a claimed number was given out")
        },
        BackendRule("a claim after a drop gives a new table") { bench in
            let wanted = TableClaim(kind: .record, name: "Song")
            let first = try bench.backend.claim(wanted)
            try bench.commit { try $0.define(first) }
            try bench.commit { try $0.drop(first.number) }
            let second = try bench.backend.claim(wanted)
            try bench.expect(second.number != first.number, "a number that was dropped")
            try bench.expectEqual(second.classNumber, first.classNumber, "the class number is free")
            try bench.commit { try $0.define(second) }
            try bench.expectEqual(bench.backend.tables(), [second], "tables")
        },
        BackendRule(
            "a table that gets a dropped one's number shows nothing of it", needs: .snapshots
        ) { bench in
            var held: [(reader: any BackendReader, table: TableNumber, key: [UInt8])] = []
            for round in 0..<40 as Range<UInt8> {
                let index = try bench.backend.claim(
                    TableClaim(kind: .ordered, name: "Index\(round)", flags: .derived))
                try bench.commit { batch in
                    try batch.define(index)
                    try batch.put([1], for: [round], in: index.number)
                }
                try bench.expectEqual(
                    bench.backend.keys(in: index.number).map(\.key), [[round]], "keys")
                try bench.expectEqual(bench.backend.count(of: index.number), 1, "count")
                if round % 4 == 1 {
                    held.append((try bench.backend.snapshot(), index.number, [round]))
                    if held.count > 2 { held.removeFirst() }
                }
                try bench.commit { try $0.drop(index.number) }
                try bench.expectEqual(bench.backend.tables(), [], "tables")
                for (reader, table, key) in held {
                    try bench.expectEqual(reader.tables().map(\.number), [table], "tables before")
                    try bench.expectEqual(reader.keys(in: table).map(\.key), [key], "keys before")
                }
            }
        },
        BackendRule("a claim is refused if a table of another kind has the name") { bench in
            _ = try bench.makeTable(.ordered, "Index")
            _ = try bench.backend.claim(TableClaim(kind: .record, name: "Song"))
            let wrong: [(TableKind, String)] = [
                (.record, "INDEX"), (.ordered, "Song"), (.record, "a/b"), (.record, ""),
            ]
            for (kind, name) in wrong {
                try bench.expectError(.badTableName(name), "a claim of '\(name)'") {
                    _ = try bench.backend.claim(TableClaim(kind: kind, name: name))
                }
            }
        },
        BackendRule("claims of many threads give one definition for a name") { bench in
            let backend = bench.backend
            let found = Guarded<[String: Set<TableDefinition>]>([:])
            try inParallel(8) { thread in
                var numbers = SeededNumbers(UInt64(thread))
                for name in (0..<60).shuffled(using: &numbers) {
                    let name = "Class\(name)"
                    let definition = try backend.claim(TableClaim(kind: .record, name: name))
                    found.withLock { _ = $0[name, default: []].insert(definition) }
                    guard thread < 2 else { continue }
                    try backend.commit { try $0.define(definition) }
                }
            }
            let all = found.withLock { $0 }
            try bench.expectEqual(all.count, 60, "names")
            for (name, definitions) in all {
                try bench.expectEqual(definitions.count, 1, "definitions of \(name)")
            }
            let tables = try backend.tables()
            try bench.expectEqual(tables.count, 60, "tables")
            try bench.expectEqual(Set(tables.map(\.number)).count, 60, "table numbers")
            try bench.expectEqual(Set(tables.map(\.classNumber)).count, 60, "class numbers")
        },
        BackendRule("class numbers run out with an error") { bench in
            for number in 0...255 {
                let claimed = try bench.backend.claim(
                    TableClaim(kind: .record, name: "Class\(number)"))
                try bench.expectEqual(claimed.classNumber, UInt8(number), "class number")
            }
            try bench.expectError(.classNumbersExhausted, "one class more") {
                _ = try bench.backend.claim(TableClaim(kind: .record, name: "More"))
            }
            _ = try bench.backend.claim(TableClaim(kind: .ordered, name: "Index"))
        },
        BackendRule("two tables never share a class number") { bench in
            func definition(_ number: TableNumber, _ name: String, _ class: UInt8)
                -> TableDefinition
            {
                TableDefinition(
                    number: number, kind: .record, name: name, classNumber: `class`)
            }
            let numbers = try (0..<4).map { _ in try bench.backend.reserveTable() }
            try bench.commit { try $0.define(definition(numbers[0], "Song", 0)) }
            try bench.expectRefusal(.classNumberTaken(0), "a second class 0") { batch in
                try batch.define(definition(numbers[1], "Playlist", 1))
                try batch.define(definition(numbers[2], "Genre", 0))
            }
            try bench.expectRefusal(.classNumberTaken(7), "twice in a batch") { batch in
                try batch.define(definition(numbers[1], "Playlist", 7))
                try batch.define(definition(numbers[2], "Genre", 7))
            }
            try bench.commit { batch in
                try batch.define(definition(numbers[0], "Track", 0))
                try batch.define(definition(numbers[1], "Playlist", 1))
                try batch.define(
                    TableDefinition(number: numbers[3], kind: .ordered, name: "Index"))
            }
            try bench.commit { batch in
                try batch.drop(numbers[0])
                try batch.define(definition(numbers[2], "Genre", 0))
            }
            try bench.expectEqual(bench.backend.tables().map(\.classNumber), [1, 0, 0], "classes")
        },
    ]
}
