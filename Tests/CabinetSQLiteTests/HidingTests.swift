#if SQLite
    import Cabinet
    import CabinetBackend
    import CabinetSQLite
    import CabinetTestSupport
    import Testing

    private final class Poem: StoredObject {
        @Field var title = ""
        @Field var lines = 0
    }

    /// Columns that are taken away again.
    struct HidingTests {
        /// Whichever backend shows or hides them, another one that saves notices.
        @Test func columnsGoAndObjectsStay() throws {
            let file = try SharedFile()
            let (one, two) = (try file.open(), try file.open())
            let store = try Store(backend: one, classes: [Poem.self])
            let other = try Store(backend: two, classes: [Poem.self])
            let poems = (0..<20).map { number in
                let poem = Poem()
                (poem.title, poem.lines) = ("Poem \(number)", number)
                return poem
            }
            for poem in poems { store.insert(poem) }
            try store.save()
            try one.hideColumns()
            let table = try #require(try one.tables().first { $0.name == "Poem" }).number
            func columns() throws -> [String] {
                try file.run("SELECT name FROM pragma_table_info('r_\(table)')")
            }
            for round in 0..<2 {
                try one.showColumns()
                poems[round].lines = 100
                try store.save()
                let sum = try file.run("SELECT count(*) FROM Poem WHERE lines = 100")
                #expect(sum == ["\(round + 1)"])
                #expect(try columns() == ["row", "made", "value", "title", "lines"])
                // A backend that has written columns, and one that has not seen any.
                try (round == 0 ? two : one).hideColumns()
                #expect(try columns() == ["row", "made", "value"])
                let left = try file.run(
                    "SELECT name FROM sqlite_master WHERE name LIKE '%shown%' OR type IN ('view', 'trigger')"
                )
                #expect(left == [])
                poems[10 + round].title = "Hidden"
                try store.save()
                try other.refresh()
                let extra = Poem()
                other.insert(extra)
                try other.save()
                try store.refresh()
            }
            #expect(try other.query(Poem.self).filter { $0.title == "Hidden" }.count() == 2)
            #expect(try other.query(Poem.self).filter { $0.lines == 100 }.count() == 2)
            #expect(try store.query(Poem.self).count() == 22)
            #expect(try file.run("PRAGMA integrity_check") == ["ok"])
        }
    }
#endif
