import Cabinet

extension Session {
    func list(_ invocation: Invocation) throws {
        let limit = try invocation.limit()
        let order = try SongOrder(invocation.options[.sort])
        if let name = invocation.operands.first {
            let playlist = try library.playlist(name)
            let songs = try playlist.loadedSongs()
            console.print(
                "\(quoted(playlist.title)): \(counted(songs.count, "song")), \(time(of: songs))")
            let shown = try order.map { try library.songs(of: playlist, in: $0) } ?? songs
            return printSongs(
                Array(shown.prefix(limit ?? .max)), inPlaces: order == nil,
                withYears: order?.key == .year)
        }
        if let order {
            let songs = try library.songs(in: order, limit: limit)
            printSongs(songs, withYears: order.key == .year)
            let all = try store.count(of: Song.self)
            return console.print(
                songs.count < all
                    ? "The first \(songs.count) of \(counted(all, "song"))."
                    : "\(counted(all, "song")).")
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
            ("Artist", song.artist), ("Album", song.album), ("Genre", song.genre),
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

    /// - Parameter title: how the title of a playlist is shown.
    func printPlaylists(
        _ playlists: [Playlist], title: (Int, Playlist) -> TableCell = { TableCell($1.title) }
    ) throws {
        var table = Table(["Row", "Playlist", "Songs", "Time"], right: ["Row", "Songs", "Time"])
        // All songs in one pass, not those of each playlist.
        let songs = try store.prefetch(\Playlist.songs, of: playlists)
        try withExtendedLifetime(songs) {
            for (index, playlist) in playlists.enumerated() {
                let songs = try playlist.loadedSongs()
                table.append([
                    TableCell("@\(playlist.rowID)"), title(index, playlist),
                    TableCell("\(songs.count)"), TableCell(time(of: songs)),
                ])
            }
        }
        console.print(table)
    }

    func printSongs(_ songs: [Song], inPlaces: Bool = false, withYears: Bool = false) {
        printSongs(songs, inPlaces: inPlaces, withYears: withYears) { _, song in
            [song.title, song.artist, song.album].map { TableCell($0) }
        }
    }

    /// - Parameters:
    ///   - inPlaces: whether their places are shown.
    ///   - withYears: whether their years are shown.
    ///   - texts: how title, artist and album of a song are shown.
    func printSongs(
        _ songs: [Song], inPlaces: Bool = false, withYears: Bool = false,
        texts: (Int, Song) -> [TableCell]
    ) {
        let (places, years) = (inPlaces ? ["N"] : [], withYears ? ["Year"] : [])
        var table = Table(
            places + ["Row", "Title", "Artist", "Album"] + years + ["Time"],
            right: ["N", "Row", "Year", "Time"])
        for (index, song) in songs.enumerated() {
            let year = years.map { _ in TableCell(song.year.map { "\($0)" } ?? "") }
            table.append(
                places.map { _ in TableCell("\(index + 1)") }
                    + [TableCell("@\(song.rowID)")] + texts(index, song) + year
                    + [TableCell(clock(song.seconds))])
        }
        console.print(table)
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
