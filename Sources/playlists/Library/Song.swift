import Cabinet

/// A song of the library.
///
/// Until version 4 the class wrote its records by hand: versions 1 to 3 hold title and seconds, as
/// the 2010 program wrote them, version 4 all that a song has but its playlists. Records of all
/// versions live side by side until they are written again.
///
/// Not `Sendable`: it lives where its store does.
final class Song: StoredObject {
    @Field var title = ""
    /// Playing time in whole seconds; 0 means unknown.
    @Field var seconds: UInt32 = 0
    @Field var artist = ""
    @Field var album = ""
    @Field var genre = ""
    /// `nil` means unknown.
    @Field var year: UInt16?
    /// A URL.
    @Field var location = ""
    /// The name that the program it was imported from gave it for good.
    @Field var persistentID = ""
    /// Where the song stands, each playlist once. The other side of ``Playlist/songs``, which old
    /// records know nothing of: the store finds out.
    @Many var playlists: [Playlist]

    override class var version: UInt8 { 5 }
    override class var keepsHistory: Bool { true }

    /// The first finds songs by their title and artist, the others list songs in order. A library that
    /// was saved without them gets them when it is next opened for changing.
    override class var indexes: [Index] {
        [
            .ordered(\Song.title, \Song.artist),
            .ordered(\Song.title, collation: .caseInsensitive),
            .ordered(\Song.artist, collation: .caseInsensitive),
            .ordered(\Song.album, collation: .caseInsensitive),
            .ordered(\Song.year),
        ]
    }

    override class var arrangements: [Arrangement] {
        [
            .arranged(
                \Song.title, collation: .caseInsensitive, groupedBy: \Song.artist,
                where: { !$0.artist.isEmpty }, named: "byArtist")
        ]
    }

    override class var textIndexes: [TextIndex] {
        [.text(\Song.title), .text(\Song.artist), .text(\Song.album)]
    }

    /// Reads a record of the hand-written past.
    override func readContent(from buffer: DataBuffer) throws {
        title = try buffer.readString()
        seconds = try buffer.readUInt32()
        guard buffer.versionOfData >= 4 else { return }
        artist = try buffer.readString()
        album = try buffer.readString()
        year = try buffer.readOptional(UInt16.self)
        location = try buffer.readString()
        persistentID = try buffer.readString()
    }
}

extension Song {
    /// Takes over what `track` knows. What it does not know stays as it is.
    func update(from track: ImportedTrack) {
        if !track.title.isEmpty { title = track.title }
        if track.seconds > 0 { seconds = track.seconds }
        if !track.artist.isEmpty { artist = track.artist }
        if !track.album.isEmpty { album = track.album }
        if !track.genre.isEmpty { genre = track.genre }
        if let year = track.year { self.year = year }
        if !track.location.isEmpty { location = track.location }
        if !track.persistentID.isEmpty { persistentID = track.persistentID }
    }
}
