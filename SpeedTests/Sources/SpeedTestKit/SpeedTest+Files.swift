import CRivals

extension SpeedTest {
    /// The tests of `FileTest`: objects in a file of SQLite's beside rows that C puts into one.
    static let files = [
        insertion("File.insert", Work.insertSongs.cabinet),
        insertion("File.insertDeclared", Work.insertSongs.declared),
        insertion("File.insertShown") { job, shelf in
            shelf.showsColumns = true
            defer { shelf.showsColumns = false }
            return try DeclaredWork.insertSongs(job, shelf)
        },
        SpeedTest(
            name: "File.fetch", unit: "song", things: "songs", preparation: .insertSongs,
            stock: "songs", work: .fetchSongs, expected: Expected.all, engines: [.file, .sqlite]),
    ]

    private static func insertion(_ name: String, _ work: Work.CabinetCall?) -> SpeedTest {
        SpeedTest(
            name: name, unit: "song", things: "songs",
            work: Work(cabinet: work, sqlite: sqlite_insert_songs), expected: Expected.all,
            engines: [.file, .sqlite])
    }
}
