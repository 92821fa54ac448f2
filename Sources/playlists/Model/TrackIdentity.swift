/// What makes two descriptions of a song the same song.
///
/// The first of these that is known counts: the persistent ID, the location, or title, artist,
/// album and seconds together. Importing a file again therefore updates songs.
enum TrackIdentity: Hashable, Sendable {
    case persistentID(String)
    case location(String)
    case description(title: String, artist: String, album: String, seconds: UInt32)
}

extension ImportedTrack {
    /// Every identity this track answers to, strongest first. Never empty.
    var identities: [TrackIdentity] {
        var all: [TrackIdentity] = []
        if !persistentID.isEmpty { all.append(.persistentID(persistentID)) }
        if !location.isEmpty { all.append(.location(location)) }
        all.append(.description(title: title, artist: artist, album: album, seconds: seconds))
        return all
    }

    /// The strongest identity.
    var identity: TrackIdentity { identities[0] }
}
