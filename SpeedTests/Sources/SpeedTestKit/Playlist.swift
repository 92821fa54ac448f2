import Cabinet

/// A playlist: a title, and songs in an order.
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
        set {
            willChange()
            storedSongs = newValue
        }
    }

    convenience init(title: String, songs: [Song]) {
        self.init()
        storedTitle = title
        storedSongs = songs
    }

    override func writeContent(to buffer: DataBuffer) {
        buffer.writeString(storedTitle)
        buffer.writeReferences(storedSongs)
    }

    override func readContent(from buffer: DataBuffer) throws {
        storedTitle = try buffer.readString()
        storedSongs = try buffer.readReferences()
    }

    override func dissolveAllRelationships() { storedSongs = [] }
}
