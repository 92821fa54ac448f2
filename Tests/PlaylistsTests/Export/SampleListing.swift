@testable import playlists

extension LibraryListing {
    /// Names with everything that a format must write in a special way.
    static let awkward = LibraryListing(
        songs: [
            ListedSong(row: 2, title: "Plain", seconds: 61, version: 3),
            ListedSong(
                row: 5, title: "A \"quoted\", <b>&</b> \\ name", seconds: 0, version: 4,
                artist: "Duo - Kestrel", album: "Café, Ōsaka", year: 1999,
                location: "file:///music/a%20b.mp3", persistentID: "00000000000000AA"),
            ListedSong(
                row: 9, title: "東京 🎷 - live", seconds: .max, version: 4, album: "x; y", year: 7),
        ],
        playlists: [
            ListedPlaylist(row: 2, title: "Mixed, \"up\"", songs: [9, 2, 9, 5]),
            ListedPlaylist(row: 3, title: "Empty", songs: []),
        ])

    /// What reading an export of it must give.
    var asImported: ImportedLibrary {
        var library = ImportedLibrary()
        var positions: [UInt32: Int] = [:]
        for song in songs {
            positions[song.row] = library.tracks.count
            library.tracks.append(
                ImportedTrack(
                    title: song.title, seconds: song.seconds, artist: song.artist,
                    album: song.album, year: song.year, location: song.location,
                    persistentID: song.persistentID))
        }
        library.playlists = playlists.map { playlist in
            ImportedPlaylist(
                title: playlist.title, tracks: playlist.songs.compactMap { positions[$0] })
        }
        return library
    }

    func written(as format: ExportFormat) -> String {
        var text = ""
        format.write(self, to: &text)
        return text
    }
}
