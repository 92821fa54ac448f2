import Cabinet

/// Songs in an order of their own. One song may stand in several places.
///
/// Version 1 was written by hand, as in 2010: title and songs.
///
/// Not `Sendable`: it lives where its store does.
final class Playlist: StoredObject {
    @Field var title = ""
    /// In playing order. A song that is deleted leaves all its places.
    @Many(inverse: \Song.playlists, onDelete: .nullify) var songs: [Song]

    override class var version: UInt8 { 2 }
    override class var keepsHistory: Bool { true }

    override class var textIndexes: [TextIndex] { [.text(\Playlist.title)] }

    /// Reads a record of the hand-written past.
    override func readContent(from buffer: DataBuffer) throws {
        title = try buffer.readString()
        songs = try buffer.readReferences(to: Song.self)
    }
}

extension Playlist {
    /// The songs with their content, in order, read in one pass.
    ///
    /// - Throws: why this playlist or a song could not be read.
    func loadedSongs() throws -> [Song] {
        try load()
        try store?.prefetch(songs)
        for song in songs { try song.load() }
        return songs
    }
}
