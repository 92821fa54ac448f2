import Cabinet

extension Session {
    func list(_ name: String?) throws {
        if let name {
            let playlist = try library.playlist(name)
            let songs = try playlist.loadedSongs()
            console.print(
                "\(quoted(playlist.title)): \(counted(songs.count, "song")), \(time(of: songs))")
            return printSongs(songs, inPlaces: true)
        }
        let playlists = try store.objects(of: Playlist.self)
        try printPlaylists(playlists)
        let songs = try store.count(of: Song.self)
        console.print("\(counted(playlists.count, "playlist")), \(counted(songs, "song")).")
    }

    func show(_ name: String) throws {
        let song = try library.song(name)
        let fields = [
            ("Title", song.title), ("Time", clock(song.seconds)),
            ("Artist", song.artist), ("Album", song.album),
            ("Year", song.year.map(String.init) ?? ""), ("Location", song.location),
            ("Persistent ID", song.persistentID), ("Row", "@\(song.rowID)"),
        ]
        for (label, value) in fields where !value.isEmpty {
            let gap = String(repeating: " ", count: 15 - label.count)
            console.print(label + gap + value.printable)
        }
        for playlist in song.playlists.sorted(by: { $0.rowID < $1.rowID }) {
            let songs = try playlist.loadedSongs()
            let places = songs.indices.filter { songs[$0] === song }.map { "\($0 + 1)" }
            console.print(
                "Place          \(places.joined(separator: ", ")) in \(quoted(playlist.title))")
        }
    }

    func search(_ text: String) throws {
        let playlists = try library.playlists(matching: text)
        let songs = try library.songs(matching: text)
        try printPlaylists(playlists)
        if !playlists.isEmpty, !songs.isEmpty { console.print() }
        printSongs(songs)
        console.print(
            "\(counted(songs.count, "song")) and \(counted(playlists.count, "playlist")) found.")
    }

    private func printPlaylists(_ playlists: [Playlist]) throws {
        var table = Table(["Row", "Playlist", "Songs", "Time"], right: ["Row", "Songs", "Time"])
        // All songs in one pass, not those of each playlist.
        let songs = try store.prefetch(\Playlist.songs, of: playlists)
        try withExtendedLifetime(songs) {
            for playlist in playlists {
                let songs = try playlist.loadedSongs()
                table.append([
                    "@\(playlist.rowID)", playlist.title, "\(songs.count)", time(of: songs),
                ])
            }
        }
        console.print(table.lines)
    }

    private func printSongs(_ songs: [Song], inPlaces: Bool = false) {
        let places = inPlaces ? ["N"] : []
        var table = Table(
            places + ["Row", "Title", "Artist", "Album", "Time"], right: ["N", "Row", "Time"])
        for (index, song) in songs.enumerated() {
            let cells = [
                "@\(song.rowID)", song.title, song.artist, song.album, clock(song.seconds),
            ]
            table.append(places.map { _ in "\(index + 1)" } + cells)
        }
        console.print(table.lines)
    }

    private func time(of songs: [Song]) -> String {
        clock(songs.reduce(0) { $0 + Int($1.seconds) })
    }
}

/// Seconds as people read them: `3:45`, or `1:02:03` from an hour on.
func clock(_ seconds: some BinaryInteger) -> String {
    let total = Int(seconds)
    let (hours, minutes) = (total / 3600, total / 60 % 60)
    let end = ":" + "\(100 + total % 60)".dropFirst()
    return hours == 0 ? "\(minutes)\(end)" : "\(hours):" + "\(100 + minutes)".dropFirst() + end
}
