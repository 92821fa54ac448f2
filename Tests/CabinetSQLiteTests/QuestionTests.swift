#if SQLite
    import Cabinet
    import CabinetBackend
    import CabinetSQLite
    import CabinetTestSupport
    import Foundation
    import Testing

    private enum Shown {
        final class Artist: StoredObject {
            @Field var name = ""
            @Many(inverse: \Track.artist) var tracks: [Track]
            override class var storageName: String { "Artist" }
        }

        final class Track: StoredObject {
            @Field var title = ""
            @Field var seconds = 0
            @Field var released: Date?
            @One var artist: Artist?
            override class var storageName: String { "Track" }
        }
    }

    /// Questions in SQL that the program itself asks.
    struct QuestionTests {
        private let file: SharedFile
        private let backend: SQLiteBackend

        init() throws {
            file = try SharedFile()
            backend = try file.open()
        }

        private func store(_ classes: StoredObject.Type...) throws -> Store {
            try Store(backend: backend, classes: classes)
        }

        /// The question of the article *Reading with SQL*, as it stands there.
        @Test func theArticlesQuestionIsAnswered() throws {
            let article = URL(filePath: #filePath).deletingLastPathComponent().appending(
                path: "../../Sources/Cabinet/Cabinet.docc/ReadingWithSQL.md")
            let text = try String(contentsOf: article, encoding: .utf8)
            let question = try #require(
                text.components(separatedBy: "```sql\n").last?.components(separatedBy: "```").first)
            let store = try store(Shown.Artist.self, Shown.Track.self)
            try backend.showColumns()
            for (number, name) in ["Anna", "Bert"].enumerated() {
                let artist = Shown.Artist()
                artist.name = name
                store.insert(artist)
                for index in 1...3 {
                    let track = Shown.Track()
                    (track.seconds, track.artist) = ((number + 1) * 600 * index, artist)
                    track.released = Date(timeIntervalSince1970: Double(86_400 * (index + number)))
                    store.insert(track)
                }
            }
            try store.save()
            let found = try backend.sql(question)
            #expect(found.columns == ["name", "tracks", "minutes", "first"])
            #expect(
                found.rows == [
                    ["Bert", 3, 120, "1970-01-03"], ["Anna", 3, 60, "1970-01-02"],
                ])
            #expect(try file.run(question) == ["Bert", "Anna"])
        }

        @Test func questionsAreAnsweredAndChangeNothing() throws {
            let store = try store(Earlier.Song.self)
            try backend.showColumns()
            for (title, year) in [("Aria", 1741), ("Air\0x", 1730), ("Fugue", 1722)] {
                let song = Earlier.Song()
                (song.title, song.year) = (title, year)
                store.insert(song)
            }
            try store.save()
            let found = try backend.sql(
                "SELECT title, year * 1.0 AS y, NULL, x'0102' FROM Song WHERE year > ?1 AND "
                    + "title <> ?2 ORDER BY year;", 1725, "Aria")
            #expect(found.columns == ["title", "y", "NULL", "x'0102'"])
            #expect(found.rows == [["Air\0x", 1730.0, nil, .bytes([1, 2])]])
            #expect(found.isComplete)
            let few = try backend.sql("SELECT row FROM Song", limit: 2)
            #expect(few.rows.count == 2 && !few.isComplete)
            #expect(try backend.sql("SELECT row FROM Song", limit: 3).isComplete)
            for text in [
                "DELETE FROM Song", "UPDATE store SET last = 9", "PRAGMA user_version = 3",
                "ATTACH 'x' AS y", "BEGIN", "SELECT 1; SELECT 2", "", "SELECT", "VACUUM",
                "SELECT ?1", "CREATE TABLE x (y)",
            ] {
                #expect(throws: BackendError.self, "\(text)") { try backend.sql(text) }
            }
            #expect(throws: BackendError.self) { try backend.sql("SELECT 1", 2) }
            try backend.close()
            #expect(throws: BackendError.closed) { try backend.sql("SELECT 1") }
        }

        @Test func aReaderOnlyMayAskButNotShow() throws {
            let store = try store(Earlier.Song.self)
            store.insert(Earlier.Song())
            try store.save()
            try backend.showColumns()
            let reader = try file.open(.readOnly)
            #expect(try reader.sql("SELECT count(*) FROM Song").rows == [[1]])
            #expect(throws: BackendError.readOnly(path: file.path)) { try reader.showColumns() }
        }
    }
#endif
