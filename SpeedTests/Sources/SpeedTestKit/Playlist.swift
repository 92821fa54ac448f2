import Cabinet

/// A playlist: a title, and songs in an order, of which often only a few are looked at.
final class Playlist: StoredObject {
    private var storedTitle = ""
    private var storedSongs: ObjectList<Song> = []

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

    var songs: ObjectList<Song> {
        get {
            willRead()
            return storedSongs
        }
        set {
            willChange()
            storedSongs = newValue
        }
    }

    convenience init(title: String, songs: [Song]) {
        self.init()
        storedTitle = title
        storedSongs = ObjectList(songs)
    }

    override func writeContent(to buffer: DataBuffer) {
        buffer.writeString(storedTitle)
        buffer.writeReferenceList(storedSongs)
    }

    override func readContent(from buffer: DataBuffer) throws {
        storedTitle = try buffer.readString()
        storedSongs = try buffer.readReferenceList()
    }

    override func dissolveAllRelationships() { storedSongs = [] }
}
