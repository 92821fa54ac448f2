/// A column of a song table, under any of the names that programs give it.
enum CSVColumn: String, CaseIterable, Sendable {
    case title, artist, album, year, seconds, milliseconds, location, playlist
    case persistentID = "persistent id"

    /// Matched without regard to case, spaces, `_` and `-`.
    init?(name: String) {
        let plain = name.lowercased().filter { !" _-\t".contains($0) }
        guard let column = Self.allCases.first(where: { $0.names.contains(plain) }) else {
            return nil
        }
        self = column
    }

    private var names: [String] {
        switch self {
        case .title: ["title", "name", "song", "track", "songname", "trackname", "tracktitle"]
        case .artist: ["artist", "artists", "artistname", "artistname(s)", "performer", "band"]
        case .album: ["album", "albumname", "albumtitle", "record"]
        case .year: ["year", "date", "releasedate", "albumreleasedate", "releaseyear"]
        case .seconds: ["seconds", "time", "duration", "length", "duration(s)", "totalseconds"]
        case .milliseconds:
            [
                "milliseconds", "totaltime", "duration(ms)", "durationms", "trackduration(ms)",
                "ms",
            ]
        case .location: ["location", "path", "file", "filename", "url", "uri", "trackuri"]
        case .playlist: ["playlist", "playlistname", "playlisttitle", "list"]
        case .persistentID: ["persistentid", "trackpersistentid"]
        }
    }
}
