import Cabinet

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
