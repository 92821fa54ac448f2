/// Writes a library as the property list that Apple Music and iTunes export and import.
///
/// `Track ID` is the row, `Total Time` is in milliseconds. Unknown fields are not written.
/// Characters that XML 1.0 cannot hold become U+FFFD.
enum PropertyListExporter {
    static func write(_ library: LibraryListing, to output: inout some TextOutputStream) {
        output.write(
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" \
            "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
            <plist version="1.0">
            <dict>
            \t<key>Major Version</key><integer>1</integer>
            \t<key>Minor Version</key><integer>1</integer>
            \t<key>Tracks</key>
            \t<dict>

            """)
        for song in library.songs { write(song, to: &output) }
        output.write("\t</dict>\n\t<key>Playlists</key>\n\t<array>\n")
        for playlist in library.playlists { write(playlist, to: &output) }
        output.write("\t</array>\n</dict>\n</plist>\n")
    }

    private static func write(_ song: ListedSong, to output: inout some TextOutputStream) {
        output.write("\t\t<key>\(song.row)</key>\n\t\t<dict>\n")
        write("Track ID", integer: UInt64(song.row), to: &output)
        write("Name", string: song.title, to: &output)
        write("Artist", string: song.artist, to: &output)
        write("Album", string: song.album, to: &output)
        write("Total Time", integer: UInt64(song.seconds) * 1000, to: &output)
        if let year = song.year { write("Year", integer: UInt64(year), to: &output) }
        write("Persistent ID", string: song.persistentID, to: &output)
        write("Location", string: song.location, to: &output)
        output.write("\t\t</dict>\n")
    }

    private static func write(
        _ playlist: ListedPlaylist, to output: inout some TextOutputStream
    ) {
        output.write("\t\t<dict>\n")
        write("Name", string: playlist.title, to: &output)
        write("Playlist ID", integer: UInt64(playlist.row), to: &output)
        output.write("\t\t\t<key>Playlist Items</key>\n\t\t\t<array>\n")
        for row in playlist.songs {
            output.write(
                "\t\t\t\t<dict>\n\t\t\t\t\t<key>Track ID</key><integer>\(row)</integer>\n"
                    + "\t\t\t\t</dict>\n")
        }
        output.write("\t\t\t</array>\n\t\t</dict>\n")
    }

    private static func write(
        _ key: String, integer: UInt64, to output: inout some TextOutputStream
    ) {
        output.write("\t\t\t<key>\(key)</key><integer>\(integer)</integer>\n")
    }

    private static func write(
        _ key: String, string: String, to output: inout some TextOutputStream
    ) {
        if string.isEmpty { return }
        output.write("\t\t\t<key>\(key)</key><string>\(escaped(string))</string>\n")
    }

    private static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&#38;"
            case "<": result += "&#60;"
            case ">": result += "&#62;"
            // A reader of XML turns a bare one into a line feed.
            case "\r": result += "&#13;"
            case "\t", "\n": result.unicodeScalars.append(scalar)
            case "\0"..."\u{1F}", "\u{FFFE}", "\u{FFFF}": result += "\u{FFFD}"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
