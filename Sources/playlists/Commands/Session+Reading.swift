import Cabinet

extension Session {
    func list(_ name: String?) throws {
        if let name { return try list(library.playlist(name)) }
        let playlists = try store.objects(of: Playlist.self)
        let songs = try store.count(of: Song.self)
        if playlists.isEmpty {
            return console.print("No playlists, \(counted(songs, "song")).")
        }
        try print(table(of: playlists))
        console.print("\(counted(playlists.count, "playlist")), \(counted(songs, "song")).")
    }

    func show(_ name: String) throws {
        let song = try library.song(name)
        let fields = [
            ("Title", song.title), ("Time", ClockTime.text(song.seconds)),
            ("Artist", song.artist), ("Album", song.album),
            ("Year", song.year.map(String.init) ?? ""), ("Location", song.location),
            ("Persistent ID", song.persistentID), ("Row", "@\(song.rowID)"),
        ]
        for (label, value) in fields where !value.isEmpty {
            let gap = String(repeating: " ", count: 15 - label.count)
            console.print(label + gap + value.printable)
        }
        try store.prefetch(\Playlist.songs, of: song.playlists)
        for playlist in song.playlists.sorted(by: { $0.rowID < $1.rowID }) {
            let places = try playlist.readableSongs().enumerated()
                .filter { $0.element === song }.map { "\($0.offset + 1)" }
            console.print(
                "Place          \(places.joined(separator: ", ")) in \(quoted(playlist.title))")
        }
    }

    func search(_ text: String) throws {
        let playlists = try library.playlists(matching: text)
        let songs = try library.songs(matching: text)
        if !playlists.isEmpty {
            try print(table(of: playlists))
            console.print()
        }
        if !songs.isEmpty {
            print(table(of: songs))
            console.print()
        }
        console.print(
            "\(counted(songs.count, "song")) and \(counted(playlists.count, "playlist")) found.")
    }

    private func list(_ playlist: Playlist) throws {
        try store.prefetch(\Playlist.songs, of: [playlist])
        let songs = try playlist.readableSongs()
        let time = ClockTime.text(songs.reduce(0) { $0 + UInt64($1.seconds) })
        console.print("\(quoted(playlist.title)): \(counted(songs.count, "song")), \(time)")
        if !songs.isEmpty { print(table(of: songs, inPlaces: true)) }
    }

    private func table(of playlists: [Playlist]) throws -> Table {
        var table = Table([
            .init(heading: "Row", alignment: .right), .init(heading: "Playlist"),
            .init(heading: "Songs", alignment: .right), .init(heading: "Time", alignment: .right),
        ])
        // In one pass, not each song when its length is asked for.
        try store.prefetch(\Playlist.songs, of: playlists)
        for playlist in playlists {
            let songs = try playlist.readableSongs()
            let time = songs.reduce(0) { $0 + UInt64($1.seconds) }
            table.append([
                "@\(playlist.rowID)", playlist.title, "\(songs.count)", ClockTime.text(time),
            ])
        }
        return table
    }

    private func table(of songs: [Song], inPlaces: Bool = false) -> Table {
        var columns: [Table.Column] = [
            .init(heading: "Row", alignment: .right), .init(heading: "Title"),
            .init(heading: "Artist"), .init(heading: "Album"),
            .init(heading: "Time", alignment: .right),
        ]
        if inPlaces { columns.insert(.init(heading: "N", alignment: .right), at: 0) }
        var table = Table(columns)
        for (index, song) in songs.enumerated() {
            let cells = [
                "@\(song.rowID)", song.title, song.artist, song.album,
                ClockTime.text(song.seconds),
            ]
            table.append(inPlaces ? ["\(index + 1)"] + cells : cells)
        }
        return table
    }
}
