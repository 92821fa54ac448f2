import Cabinet

/// A song of the library.
///
/// Versions 1 to 3 of its records hold title and seconds, as the 2010 program wrote them; version
/// 4 adds the rest. Records of all versions live side by side until they are written again.
///
/// Not `Sendable`: it lives where its store does.
final class Song: StoredObject, Identifying {
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
    /// Playing time; 0 means unknown.
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
    /// Empty means unknown, here and below.
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
    var album: String {
        get {
            willRead()
            return storedAlbum
        }
        set {
            willChange()
            storedAlbum = newValue
        }
    }
    /// `nil` means unknown.
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
    /// A URL, see ``TrackLocation``.
    var location: String {
        get {
            willRead()
            return storedLocation
        }
        set {
            willChange()
            storedLocation = newValue
        }
    }
    /// The name that the program it was imported from gave it for good.
    var persistentID: String {
        get {
            willRead()
            return storedPersistentID
        }
        set {
            willChange()
            storedPersistentID = newValue
        }
    }

    override class var version: UInt8 { 4 }
    /// So that deleting a song finds its playlists without reading all of them.
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

extension Song {
    /// Takes over what `track` knows. What it does not know stays as it is.
    ///
    /// - Returns: whether anything changed.
    func update(from track: ImportedTrack) -> Bool {
        let isBetterTitle = !track.hasGuessedTitle || title.isEmpty
        let changes = [
            isBetterTitle && set(\.title, to: track.title, unless: ""),
            set(\.seconds, to: track.seconds, unless: 0),
            set(\.artist, to: track.artist, unless: ""),
            set(\.album, to: track.album, unless: ""),
            set(\.year, to: track.year, unless: nil),
            set(\.location, to: track.location, unless: ""),
            set(\.persistentID, to: track.persistentID, unless: ""),
        ]
        return changes.contains(true)
    }

    private func set<Value: Equatable>(
        _ path: ReferenceWritableKeyPath<Song, Value>, to value: Value, unless unknown: Value
    ) -> Bool {
        guard value != unknown, self[keyPath: path] != value else { return false }
        self[keyPath: path] = value
        return true
    }
}
