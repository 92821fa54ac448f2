import Cabinet

// The program's classes as they were when they wrote their records by hand. What they wrote, the
// program of today must read; what it writes, they must refuse.

enum Past {
    static let classes: [StoredObject.Type] = [Song.self, Playlist.self]

    /// Version 4: what versions 1 to 3 hold, and the rest.
    final class Song: StoredObject {
        private var storedTitle = ""
        private var storedSeconds: UInt32 = 0
        private var storedArtist = ""
        private var storedAlbum = ""
        private var storedYear: UInt16?
        private var storedLocation = ""
        private var storedPersistentID = ""

        var title: String {
            get {
                willRead()
                return storedTitle
            }
            set {
                willChange()
                storedTitle = newValue
            }
        }
        var seconds: UInt32 {
            get {
                willRead()
                return storedSeconds
            }
            set {
                willChange()
                storedSeconds = newValue
            }
        }
        var artist: String {
            get {
                willRead()
                return storedArtist
            }
            set {
                willChange()
                storedArtist = newValue
            }
        }
        var year: UInt16? {
            get {
                willRead()
                return storedYear
            }
            set {
                willChange()
                storedYear = newValue
            }
        }

        override class var version: UInt8 { 4 }
        override class var tracksReferrers: Bool { true }

        override func writeContent(to buffer: DataBuffer) {
            buffer.writeString(storedTitle)
            buffer.writeUInt32(storedSeconds)
            buffer.writeString(storedArtist)
            buffer.writeString(storedAlbum)
            buffer.writeOptional(storedYear)
            buffer.writeString(storedLocation)
            buffer.writeString(storedPersistentID)
        }

        override func readContent(from buffer: DataBuffer) throws {
            storedTitle = try buffer.readString()
            storedSeconds = try buffer.readUInt32()
            let isOld = buffer.versionOfData < 4
            storedArtist = isOld ? "" : try buffer.readString()
            storedAlbum = isOld ? "" : try buffer.readString()
            storedYear = isOld ? nil : try buffer.readOptional(UInt16.self)
            storedLocation = isOld ? "" : try buffer.readString()
            storedPersistentID = isOld ? "" : try buffer.readString()
        }

        /// A deleted song leaves every playlist it was in, wherever it stood there.
        override func prepareForDelete() throws {
            for case let playlist as Playlist in try store?.referrers(of: self) ?? [] {
                try playlist.load()
                playlist.songs.removeAll { $0 === self }
            }
        }
    }

    final class Playlist: StoredObject {
        private var storedTitle = ""
        private var storedSongs: [Song] = []

        var title: String {
            get {
                willRead()
                return storedTitle
            }
            set {
                willChange()
                storedTitle = newValue
            }
        }
        var songs: [Song] {
            get {
                willRead()
                return storedSongs
            }
            _modify {
                willChange()
                yield &storedSongs
            }
        }

        override func writeContent(to buffer: DataBuffer) {
            buffer.writeString(storedTitle)
            buffer.writeReferences(storedSongs)
        }

        override func readContent(from buffer: DataBuffer) throws {
            storedTitle = try buffer.readString()
            storedSongs = try buffer.readReferences(to: Song.self)
        }

        override func dissolveAllRelationships() { storedSongs = [] }
    }
}
