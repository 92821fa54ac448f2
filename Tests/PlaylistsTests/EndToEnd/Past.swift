import Cabinet
import Foundation

@testable import playlists

// The program's classes as they were when they wrote their records by hand. What they wrote, the
// program of today must read; what it writes, they must refuse.

/// The classes of versions 4 of `Song` and 1 of `Playlist`. The program had accessors that report
/// reads and changes; here `load()` and `willChange()` are called by the tests.
enum Past {
    static let classes: [StoredObject.Type] = [Song.self, Playlist.self]

    final class Song: StoredObject {
        var title = ""
        var seconds: UInt32 = 0
        var artist = ""
        var album = ""
        var year: UInt16?
        var location = ""
        var persistentID = ""

        override class var version: UInt8 { 4 }
        override class var tracksReferrers: Bool { true }

        override func writeContent(to buffer: DataBuffer) {
            buffer.writeString(title)
            buffer.writeUInt32(seconds)
            buffer.writeString(artist)
            buffer.writeString(album)
            buffer.writeOptional(year)
            buffer.writeString(location)
            buffer.writeString(persistentID)
        }

        override func readContent(from buffer: DataBuffer) throws {
            title = try buffer.readString()
            seconds = try buffer.readUInt32()
            let isOld = buffer.versionOfData < 4
            artist = isOld ? "" : try buffer.readString()
            album = isOld ? "" : try buffer.readString()
            year = isOld ? nil : try buffer.readOptional(UInt16.self)
            location = isOld ? "" : try buffer.readString()
            persistentID = isOld ? "" : try buffer.readString()
        }
    }

    final class Playlist: StoredObject {
        var title = ""
        var songs: [Song] = []

        override func writeContent(to buffer: DataBuffer) {
            buffer.writeString(title)
            buffer.writeReferences(songs)
        }

        override func readContent(from buffer: DataBuffer) throws {
            title = try buffer.readString()
            songs = try buffer.readReferences(to: Song.self)
        }

        override func dissolveAllRelationships() { songs = [] }
    }
}

extension Past {
    /// What the program of then said of the library that it had made of the sample library's file.
    static func listing() throws -> LibraryListing {
        let file = URL(filePath: try Fixtures.path("version-4.json"))
        return try JSONDecoder().decode(LibraryListing.self, from: Data(contentsOf: file))
    }

    /// Saves that library, as those classes write it. The rows come out as they were: ascending, from 2 on.
    private static func save(_ listing: LibraryListing, in store: Store) throws {
        var songs: [RowID: Song] = [:]
        for listed in listing.songs {
            let song = Song()
            (song.title, song.seconds) = (listed.title, listed.seconds)
            (song.artist, song.album) = (listed.artist, listed.album)
            (song.year, song.location) = (listed.year, listed.location)
            store.insert(song)
            songs[listed.row] = song
        }
        for listed in listing.playlists {
            let playlist = Playlist()
            playlist.title = listed.title
            playlist.songs = listed.songs.compactMap { songs[$0] }
            store.insert(playlist)
        }
        try store.save()
    }

    /// Calls `body` with a place where the library of then is.
    static func withLibrary(_ body: (Place) throws -> Void) throws {
        try Place.temporary { place in
            let listing = try listing()
            try place.withStore(of: classes) { try save(listing, in: $0) }
            try body(place)
        }
    }
}
