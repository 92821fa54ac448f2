import CabinetBackend
import CabinetSQLite
import Testing

@testable import cabinet_inspect

struct SQLiteTests {
    private let store = InspectStore()
    private var file: String { "sqlite:" + store.directory + "/Music.sqlite" }

    #if SQLite
        /// The directory's answers are tested elsewhere; those about the file are the same.
        @Test func aFileIsShownAsADirectoryIs() async throws {
            try store.makeRecordings()
            let path = store.directory + "/Music.sqlite"
            try store.makeRecordings(in: SQLiteBackend(path: path))
            let commands: [[String]] = [
                ["schema"], ["graph"], ["names"], ["dump", "Song", "2"], ["dump", "Note"],
                ["query", "Song", "title BEGINSWITH 'E'"], ["referrers", "Song", "3"],
                ["graph", "Playlist", "2"],
            ]
            for command in commands {
                var (inFile, inDirectory) = (command, command)
                inFile.insert(file, at: 1)
                inDirectory.insert(store.path, at: 1)
                let (found, wanted) = (await store.run(inFile), await store.run(inDirectory))
                #expect(found.output == wanted.output, "\(command)")
                #expect(found.status == wanted.status, "\(command)")
            }
            let check = await store.run("check", file)
            #expect(check.status == .sound)
            #expect(check.output.last == "Sound, to save 1.")
            #expect(await store.run("check", file, "--json").status == .sound)
        }

        @Test func whatIsForDirectoriesIsRefused() async throws {
            try store.makeRecordings(in: SQLiteBackend(path: store.directory + "/Music.sqlite"))
            for command in [["info"], ["compact"], ["log"], ["check", "--repair"]] {
                let result = await store.run(command + [file])
                #expect(result.status == .notUnderstood)
                #expect(result.messages.contains("SQLite"))
            }
            #expect(await store.run("schema", file + "x").status == .failed)
        }
    #else
        @Test func withoutTheTraitAFileIsRefused() async {
            let result = await store.run("schema", file)
            #expect(result.status == .notUnderstood)
            #expect(result.messages.contains("the trait SQLite"))
        }
    #endif
}
