/// Writes one playlist as extended M3U in UTF-8.
///
/// A song without a location gets its `#EXTINF:` line alone: players pass over it, and
/// ``M3UImporter`` reads it back. Line ends inside a title become spaces.
enum M3UExporter {
    static func write(_ library: LibraryListing, to output: inout some TextOutputStream) {
        output.write("#EXTM3U\n")
        let songs = library.songsByRow
        var listed = library.songs
        if library.playlists.count == 1 {
            output.write("#PLAYLIST:\(oneLine(library.playlists[0].title))\n")
            listed = library.playlists[0].songs.compactMap { songs[$0] }
        }
        for song in listed { output.write(entry(for: song)) }
    }

    private static func entry(for song: ListedSong) -> String {
        let artist = oneLine(song.artist)
        let title = oneLine(song.title)
        var lines = "#EXTINF:\(song.seconds),\(artist.isEmpty ? title : "\(artist) - \(title)")\n"
        // Without this line a dash in either name would be taken for the one between them.
        if artist.contains(" - ") || (artist.isEmpty && title.contains(" - ")) {
            lines += "#EXTART:\(artist)\n"
        }
        if !song.album.isEmpty { lines += "#EXTALB:\(oneLine(song.album))\n" }
        if !song.location.isEmpty { lines += TrackLocation.path(from: song.location) + "\n" }
        return lines
    }

    private static func oneLine(_ text: String) -> String {
        String(text.map { $0.isNewline ? " " : $0 })
    }
}
