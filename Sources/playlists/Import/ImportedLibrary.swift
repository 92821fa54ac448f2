/// What one file says: tracks, and playlists of them. Plain values that know no store.
package struct ImportedLibrary: Hashable, Sendable {
    /// In the order of the file.
    package var tracks: [ImportedTrack] = []
    /// In the order of the file.
    package var playlists: [ImportedPlaylist] = []
    /// Sentences about what was left out.
    var notes: [String] = []
}

/// One song as a file describes it. An empty string means that the file does not say.
package struct ImportedTrack: Hashable, Sendable {
    var title = ""
    /// Playing time in whole seconds; 0 if the file does not say.
    var seconds: UInt32 = 0
    var artist = ""
    var album = ""
    var genre = ""
    /// `nil` if the file does not say.
    var year: UInt16?
    /// A URL.
    var location = ""
    /// What the exporting program calls this track for good, 16 hexadecimal digits in iTunes.
    var persistentID = ""
}

/// An ordered playlist. One track may stand in it several times.
package struct ImportedPlaylist: Hashable, Sendable {
    var title = ""
    /// Positions in ``ImportedLibrary/tracks``, from 0; every one of them exists.
    package var tracks: [Int] = []
}
