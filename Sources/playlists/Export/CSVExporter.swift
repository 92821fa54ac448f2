/// Writes a library as comma-separated values (RFC 4180): first every song once, with no
/// playlist, then every playlist's songs in order. ``CSVImporter`` reads the same library back.
///
/// The first column is `playlist`. A playlist without songs is a line with nothing else.
enum CSVExporter {
    static func write(_ library: LibraryListing, to output: inout some TextOutputStream) {
        output.write("playlist,title,artist,album,year,seconds,location,persistent id\r\n")
        for song in library.songs { output.write(line(for: song, in: "")) }
        let songs = library.songsByRow
        for playlist in library.playlists {
            if playlist.songs.isEmpty {
                output.write(quoted(playlist.title) + ",,,,,,,\r\n")
            }
            for song in playlist.songs.compactMap({ songs[$0] }) {
                output.write(line(for: song, in: playlist.title))
            }
        }
    }

    private static func line(for song: ListedSong, in playlist: String) -> String {
        let fields = [
            playlist, song.title, song.artist, song.album, song.year.map(String.init) ?? "",
            String(song.seconds), song.location, song.persistentID,
        ]
        return fields.map(quoted).joined(separator: ",") + "\r\n"
    }

    /// Quoted only where it must be.
    private static func quoted(_ field: String) -> String {
        let needsQuotes = field.utf8.contains { byte in
            byte == UInt8(ascii: ",") || byte == UInt8(ascii: "\"")
                || byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r")
        }
        guard needsQuotes else { return field }
        // By scalars: a quote with an accent on it is one character, and still a quote.
        var result = "\""
        for scalar in field.unicodeScalars {
            if scalar == "\"" { result += "\"" }
            result.unicodeScalars.append(scalar)
        }
        return result + "\""
    }
}
