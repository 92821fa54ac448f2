import Cabinet

final class Song: StoredObject {
    private var storedTitle = ""
    private var storedSeconds: UInt32 = 0

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

    convenience init(_ title: String, seconds: UInt32 = 0) {
        self.init()
        storedTitle = title
        storedSeconds = seconds
    }

    override func writeContent(to buffer: DataBuffer) {
        buffer.writeString(storedTitle)
        buffer.writeUInt32(storedSeconds)
    }

    override func readContent(from buffer: DataBuffer) throws {
        storedTitle = try buffer.readString()
        storedSeconds = try buffer.readUInt32()
    }

    override class var tracksReferrers: Bool { true }

    /// A song leaves every playlist that it was in.
    override func prepareForDelete() throws {
        for case let playlist as Playlist in try store?.referrers(of: self) ?? [] {
            playlist.songs.removeAll { $0 === self }
        }
    }
}

final class Playlist: StoredObject {
    private var storedTitle = ""
    private var storedSongs: [Song] = []
    /// A locked list refuses to be deleted.
    var isLocked = false

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

    convenience init(_ title: String, _ songs: [Song] = []) {
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

    override func prepareForDelete() throws {
        if isLocked {
            throw StoreError.denied(class: "Playlist", row: rowID, reason: "it is locked")
        }
    }
}
