import Cabinet

/// A playlist that is mostly read in part.
final class Queue: StoredObject {
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
        _modify {
            willChange()
            yield &storedSongs
        }
    }

    convenience init(_ title: String, _ songs: [Song] = []) {
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
