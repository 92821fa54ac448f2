/// What one file had to say: tracks, playlists over them, and what had to be left out.
///
/// Plain values that know neither a file format nor a store.
package struct ImportedLibrary: Hashable, Sendable {
    /// In the order of the file.
    package var tracks: [ImportedTrack] = []
    /// In the order of the file.
    package var playlists: [ImportedPlaylist] = []
    var leftOut = LeftOut()
}

/// One song as a file describes it. An empty string means that the file does not say.
package struct ImportedTrack: Hashable, Sendable {
    var title = ""
    /// Playing time in whole seconds; 0 if the file does not say.
    var seconds: UInt32 = 0
    var artist = ""
    var album = ""
    /// `nil` if the file does not say.
    var year: UInt16?
    /// A URL where the file gives a place.
    var location = ""
    /// The name the exporting program gave this track for good, 16 hexadecimal digits in iTunes.
    var persistentID = ""
}

/// An ordered playlist. One track may stand in it several times.
package struct ImportedPlaylist: Hashable, Sendable {
    var title = ""
    /// Positions in ``ImportedLibrary/tracks``, from 0; every one of them exists.
    package var tracks: [Int] = []
}
