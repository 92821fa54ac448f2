import Cabinet

/// Songs in an order of their own. One song may stand in several places.
///
/// Not `Sendable`: it lives where its store does.
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
    /// In playing order. Edited in place, so that one more song does not copy a long list.
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

extension Playlist {
    /// The songs with their content, in order. One whose record is gone is left out.
    ///
    /// - Throws: why this playlist or a song could not be read.
    func readableSongs() throws -> [Song] {
        try load()
        return try songs.filter { song in
            do {
                try song.load()
                return !song.isDeleted
            } catch StoreError.rowGone {
                return false
            }
        }
    }
}
