#if PostgreSQL
    import Cabinet
    import CabinetPostgreSQL
    import Foundation

    final class Song: StoredObject {
        @Field var title = ""
        @Field var number = 0
    }

    /// A song in a list, with an index.
    final class ListedSong: StoredObject {
        @Field var title = ""
        @Field var year = 0
        @One var list: SongList?

        override class var indexes: [Index] { [.ordered(\ListedSong.year)] }
    }

    final class SongList: StoredObject {
        @Field var name = ""
        @Many(inverse: \ListedSong.list) var songs: [ListedSong]
    }

    /// A store on the server that the command line names.
    struct ServerStore {
        let name: String

        /// How the server's database is reached.
        static func address(by directory: String = socketDirectory) -> String {
            let host = directory.replacingOccurrences(of: "/", with: "%2F")
            return "postgresql://\(user)@\(host)/\(database)"
        }

        var schema: String { "cabinet_\(name)" }

        func open(
            by directory: String = socketDirectory, durability: Durability = .full
        ) throws -> Store {
            try Store(
                backend: PostgresBackend(
                    Self.address(by: directory), store: name, durability: durability),
                classes: [Song.self, ListedSong.self, SongList.self])
        }

        /// Removes the store; `psql` has to be on the search path.
        func remove() throws {
            let psql = Process()
            psql.executableURL = URL(filePath: "/usr/bin/env")
            psql.arguments = [
                "psql", "-qX", Self.address(), "-c", "SET client_min_messages = warning", "-c",
                "DROP SCHEMA IF EXISTS \(schema) CASCADE; DROP TABLE IF EXISTS speed_rows",
            ]
            try psql.run()
            psql.waitUntilExit()
        }
    }

    /// Calls `body` with a store that goes afterwards.
    func withStore<Result>(
        songs: Int, _ body: (ServerStore) throws -> Result
    ) throws -> Result {
        let place = ServerStore(name: "speed")
        try place.remove()
        defer { try? place.remove() }
        let store = try place.open()
        insert(songs, into: store)
        try store.save()
        try store.close()
        return try body(place)
    }

    func insert(_ count: Int, into store: Store) {
        for number in 0..<count {
            let song = Song()
            song.title = "Test Song \(number)"
            song.number = number
            store.insert(song)
        }
    }
#endif
