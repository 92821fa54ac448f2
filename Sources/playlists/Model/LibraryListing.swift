import Foundation

/// A library as it is exported: plain values, rows instead of references.
struct LibraryListing: Codable, Hashable, Sendable {
    /// Rows ascending.
    var songs: [ListedSong] = []
    /// Rows ascending.
    var playlists: [ListedPlaylist] = []

    /// One line of JSON. Keys are sorted, so that two exports can be compared byte by byte; what is
    /// `nil` is left out.
    func json() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(self), as: UTF8.self)
    }
}

/// One song with its place in the store. An empty string means unknown.
struct ListedSong: Codable, Hashable, Sendable {
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
}

/// One playlist with its place in the store.
struct ListedPlaylist: Codable, Hashable, Sendable {
    var row: UInt32
    var title: String
    /// Rows of songs in playing order.
    var songs: [UInt32]
}
