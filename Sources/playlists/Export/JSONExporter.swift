/// Writes a library as one line of JSON.
///
/// Keys and their order are fixed, so that two exports can be compared byte by byte. An unknown
/// year is `null`.
enum JSONExporter {
    static func write(_ library: LibraryListing, to output: inout some TextOutputStream) {
        output.write("{\"songs\":[")
        for (index, song) in library.songs.enumerated() {
            output.write((index == 0 ? "" : ",") + object(for: song))
        }
        output.write("],\"playlists\":[")
        for (index, playlist) in library.playlists.enumerated() {
            let songs = playlist.songs.map(String.init).joined(separator: ",")
            output.write(
                (index == 0 ? "" : ",")
                    + "{\"row\":\(playlist.row),\"title\":\(quoted(playlist.title)),"
                    + "\"songs\":[\(songs)]}")
        }
        output.write("]}\n")
    }

    /// `text` as a JSON string with its quotes (RFC 8259, section 7).
    static func quoted(_ text: String) -> String {
        let isPlain = text.utf8.allSatisfy { byte in
            byte >= 0x20 && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
        }
        if isPlain { return "\"\(text)\"" }
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            case "\0"..."\u{1F}":
                let digits = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }

    private static func object(for song: ListedSong) -> String {
        "{\"row\":\(song.row),\"title\":\(quoted(song.title)),\"seconds\":\(song.seconds),"
            + "\"version\":\(song.version),\"artist\":\(quoted(song.artist)),"
            + "\"album\":\(quoted(song.album)),\"year\":\(song.year.map(String.init) ?? "null"),"
            + "\"location\":\(quoted(song.location))}"
    }
}
