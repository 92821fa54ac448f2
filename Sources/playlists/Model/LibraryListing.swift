/// A library as it is printed and exported: plain values, rows instead of references.
struct LibraryListing: Hashable, Sendable {
    /// Rows ascending.
    var songs: [ListedSong] = []
    /// Rows ascending.
    var playlists: [ListedPlaylist] = []
}

/// One song with its place in the store. An empty string means unknown.
struct ListedSong: Hashable, Sendable {
    var row: UInt32
    var title: String
    var seconds: UInt32
    /// The version byte of the record as it is stored.
    var version: UInt8
    var artist = ""
    var album = ""
    /// `nil` means unknown.
    var year: UInt16?
    var location = ""
    var persistentID = ""
}

/// One playlist with its place in the store.
struct ListedPlaylist: Hashable, Sendable {
    var row: UInt32
    var title: String
    /// Rows of songs in playing order.
    var songs: [UInt32]
}
