import Cabinet
import Foundation

/// A library as it is exported: plain values, rows instead of references.
struct LibraryListing: Codable, Hashable {
    /// One song with its row in the store. An empty string means unknown.
    struct Song: Codable, Hashable {
        var row: RowID
        var title: String
        var seconds: UInt32
        var artist = ""
        var album = ""
        /// `nil` means unknown.
        var genre: String?
        /// `nil` means unknown.
        var year: UInt16?
        var location = ""
    }

    /// One playlist with its row in the store.
    struct Playlist: Codable, Hashable {
        var row: RowID
        var title: String
        /// Rows of songs in playing order.
        var songs: [RowID]
    }

    /// Rows ascending.
    var songs: [Song] = []
    /// Rows ascending.
    var playlists: [Playlist] = []

    /// One line of JSON. Keys are sorted, so that two exports can be compared byte by byte; what is
    /// `nil` is left out.
    func json() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(self), as: UTF8.self)
    }
}

extension Library {
    /// The whole library as plain values, or one playlist with the songs in it.
    func listing(of playlist: Playlist? = nil) throws -> LibraryListing {
        // While the songs are held, the playlists need not fetch them one by one.
        let songs =
            try playlist.map { Set(try $0.loadedSongs()).sorted { $0.rowID < $1.rowID } }
            ?? store.objects(of: Song.self)
        let playlists = try playlist.map { [$0] } ?? store.objects(of: Playlist.self)
        return LibraryListing(
            songs: songs.map {
                .init(
                    row: $0.rowID, title: $0.title, seconds: $0.seconds, artist: $0.artist,
                    album: $0.album, genre: $0.genre.isEmpty ? nil : $0.genre, year: $0.year,
                    location: $0.location)
            },
            playlists: try playlists.map {
                .init(row: $0.rowID, title: $0.title, songs: try $0.loadedSongs().map(\.rowID))
            })
    }
}
