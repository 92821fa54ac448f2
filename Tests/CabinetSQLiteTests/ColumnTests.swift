#if SQLite
    import Cabinet
    import CabinetBackend
    import CabinetSQLite
    import CabinetTestSupport
    import Foundation
    import Testing

    /// Names that mean something in SQL or in the tables of a store.
    private final class Commits: StoredObject {
        @Field var row = 1
        @Field var value = "v"
        @Field var select = "s"
        @Field var sElect = "S"
    }

    private final class Shelf: StoredObject {
        @Field var name = ""
        @Many(onDelete: .nullify) var books: [Volume]
    }

    private final class Volume: StoredObject {
        @Field var title: String?
        @Field var isLent = false
        @Field var pages: UInt64 = 0
        @Field var weight = 0.0
        @Field var bought = Date(timeIntervalSince1970: 86_400)
        @Field var cover = Data()
        @Field var key = UUID()
        @Field var tags: [String] = []
        @Field var price = Decimal(0)
        @One var shelf: Shelf?
        @One var anything: StoredObject?
    }

    /// What programs see that read the file with SQL, by SQLite's own library.
    struct ColumnTests {
        private let file: SharedFile
        private let backend: SQLiteBackend

        init() throws {
            file = try SharedFile()
            backend = try file.open()
        }

        private func store(_ classes: StoredObject.Type...) throws -> Store {
            try Store(backend: backend, classes: classes)
        }

        @Test func fieldsOfEachTypeAreColumns() throws {
            let store = try store(Shelf.self, Volume.self)
            try backend.showColumns()
            let (shelf, volume) = (Shelf(), Volume())
            (shelf.name, shelf.books) = ("Top", [volume])
            (volume.title, volume.isLent, volume.pages) = ("It's \"one\"", true, .max)
            (volume.weight, volume.cover) = (1.5, Data([0, 255]))
            (volume.tags, volume.price) = (["a", "b"], Decimal(string: "9.90") ?? 0)
            (volume.shelf, volume.anything) = (shelf, shelf)
            store.insert(volume)
            store.insert(shelf)
            try store.save()
            let columns = [
                "title", "isLent", "pages", "weight", "datetime(bought, 'unixepoch')",
                "hex(cover)", "key", "tags", "price", "shelf", "anything",
            ]
            let shown = try file.run(
                "SELECT \(columns.joined(separator: " || '|' || ")) FROM Volume")
            #expect(
                shown == [
                    "It's \"one\"|1|18446744073709551615|1.5|1970-01-02 00:00:00|00FF|"
                        + "\(volume.key.uuidString)|[\"a\",\"b\"]|9.9|\(shelf.rowID)|"
                        + "{\"class\":\"Shelf\",\"row\":\(shelf.rowID)}"
                ])
            #expect(
                try file.run(
                    "SELECT Volume.title FROM Shelf, json_each(Shelf.books) AS place "
                        + "JOIN Volume ON Volume.row = place.value WHERE Shelf.name = 'Top'")
                    == ["It's \"one\""])
            volume.title = nil
            try store.save()
            #expect(try file.run("SELECT typeof(title) FROM Volume") == ["null"])
            try store.delete(volume)
            try store.save()
            #expect(try file.run("SELECT count(*) FROM Volume") == ["0"])
        }

        @Test func rowsThatAreThereAreShown() throws {
            let store = try store(Earlier.Song.self)
            for number in 1...1200 {
                let song = Earlier.Song()
                (song.title, song.year) = ("Song \(number)", number)
                store.insert(song)
            }
            try store.save()
            #expect(throws: (any Error).self) { try file.run("SELECT * FROM Song") }
            try backend.showColumns()
            #expect(
                try file.run("SELECT count(*) FROM Song WHERE title = 'Song ' || year") == ["1200"])
            #expect(try backend.count(of: 2) == 1200)
        }

        @Test func namesThatMeanSomethingElseAreOthers() throws {
            let store = try store(Commits.self)
            try backend.showColumns()
            let object = Commits()
            store.insert(object)
            try store.save()
            #expect(
                try file.run(
                    "SELECT row || row_2 || value_2 || \"select\" || \"sElect_2\" FROM Commits_2")
                    == ["\(object.rowID)1vsS"])
            #expect(try file.run("SELECT count(*) FROM commits") != ["0"])
        }

        /// A field keeps its column's content under a new name; records of both programs are shown.
        @Test func aLayoutOfALaterProgramChangesTheColumns() throws {
            let old = try store(Earlier.Song.self)
            try backend.showColumns()
            let song = Earlier.Song()
            (song.title, song.year) = ("Aria", 1741)
            old.insert(song)
            try old.save()
            let row = song.rowID
            try old.close()
            let other = try file.open()
            let store = try Store(backend: other, classes: [Later.Song.self])
            let added = Later.Song()
            (added.name, added.rating) = ("Fugue", 4.5)
            store.insert(added)
            try store.save()
            #expect(
                try file.run(
                    "SELECT name || '|' || ifnull(rating, '-') || '|' || ifnull(year, '-') "
                        + "FROM Song ORDER BY row") == ["Aria|-|1741", "Fugue|4.5|-"])
            #expect(throws: (any Error).self) { try file.run("SELECT title FROM Song") }
            try #require(try store.object(Later.Song.self, rowID: row)).rating = 5
            try store.save()
            #expect(
                try file.run("SELECT rating || ifnull(year, '-') FROM Song WHERE name = 'Aria'")
                    == ["5.0-"])
        }

        /// Once, it kept the former name, as one that is taken gets a number behind it.
        @Test func aRenamedClassIsShownByItsName() throws {
            let old = try store(Before.Song.self)
            try backend.showColumns()
            old.insert(Before.Song())
            try old.save()
            try old.close()
            let store = try Store(backend: file.open(), classes: [Renamed.Song.self])
            let song = Renamed.Song()
            song.title = "Aria"
            store.insert(song)
            try store.save()
            #expect(try file.run("SELECT count(title) FROM Song") == ["2"])
        }

        /// Two programs of different versions write beside each other.
        @Test func aProgramShowsRecordsOfALayoutThatIsNewerThanItIs() throws {
            let two = try file.open()
            let old = try store(Earlier.Song.self)
            try backend.showColumns()
            let later = try Store(backend: two, classes: [Later.Song.self])
            for step in 0..<4 {
                let (song, added) = (Earlier.Song(), Later.Song())
                song.title = "old\(step)"
                old.insert(song)
                try old.save()
                added.name = "new\(step)"
                later.insert(added)
                try later.save()
            }
            let names = try file.run("SELECT name FROM Song ORDER BY name")
            #expect(names == (0..<4).map { "new\($0)" } + (0..<4).map { "old\($0)" })
        }

        @Test func columnsAreNotChangedWithoutTheirRecords() throws {
            let store = try store(Earlier.Song.self)
            try backend.showColumns()
            let song = Earlier.Song()
            song.title = "Aria"
            store.insert(song)
            try store.save()
            let table = try #require(try backend.tables().first { $0.name == "Song" }).number
            for text in [
                "UPDATE r_\(table) SET title = 'x'", "UPDATE Song SET title = 'x'",
                "INSERT INTO Song (row, title) VALUES (9, 'x')", "DELETE FROM Song",
            ] {
                #expect(throws: (any Error).self, "\(text)") { try file.run(text) }
            }
            #expect(try file.run("SELECT title FROM Song") == ["Aria"])
            for title in ["Air", "Air", "Aria"] {
                song.title = title
                try store.save()
            }
            #expect(try file.run("SELECT title FROM Song") == ["Aria"])
        }

        /// Whoever writes without a store has nothing that takes records apart.
        @Test func whatTheEngineAloneWritesShowsNothingUntilItIsWrittenAnew() throws {
            let store = try store(Earlier.Song.self)
            try backend.showColumns()
            let song = Earlier.Song()
            song.title = "Aria"
            store.insert(song)
            try store.save()
            let table = try #require(try backend.tables().first { $0.name == "Song" }).number
            let record = try #require(try backend.value(of: song.rowID, in: table))
            let alone = try file.open()
            #expect(throws: BackendError.self) { try alone.showColumns() }
            try alone.commit { batch in
                for row in [song.rowID, 9] { try batch.put(record, at: row, in: table) }
            }
            #expect(try file.run("SELECT count(title) || count(*) FROM Song") == ["02"])
            try backend.showColumns()
            #expect(try file.run("SELECT count(title) || count(*) FROM Song") == ["22"])
        }

        @Test func whatIsTakenBackIsNotShown() throws {
            let store = try store(Earlier.Song.self)
            try backend.showColumns()
            FailingDisk.install()
            let synced = try file.open(durability: .full)
            let later = try Store(backend: synced, classes: [Later.Song.self])
            let added = Later.Song()
            added.name = "lost"
            later.insert(added)
            FailingDisk.failSyncs(1, of: file.path)
            #expect(throws: (any Error).self) { try later.save() }
            #expect(throws: (any Error).self) { try file.run("SELECT name FROM Song") }
            let song = Earlier.Song()
            song.title = "kept"
            store.insert(song)
            try store.save()
            #expect(try file.run("SELECT title FROM Song") == ["kept"])
            try later.save()
            #expect(try file.run("SELECT name FROM Song ORDER BY name") == ["kept", "lost"])
        }

    }
#endif
