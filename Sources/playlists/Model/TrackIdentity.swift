/// What makes two descriptions of a song the same song.
///
/// The first of these that is known counts: the persistent ID, the location, or title, artist,
/// album and seconds together. Importing a file again therefore updates songs.
enum TrackIdentity: Hashable, Sendable {
    case persistentID(String)
    case location(String)
    case description(title: String, artist: String, album: String, seconds: UInt32)
}

extension TrackIdentity {
    /// How strong an identity is.
    enum Strength: CaseIterable, Sendable {
        case persistentID, location, description
    }
}

/// Anything that says what song it is.
protocol Identifying {
    var persistentID: String { get }
    var location: String { get }
    var title: String { get }
    var artist: String { get }
    var album: String { get }
    var seconds: UInt32 { get }
}

extension Identifying {
    /// The identity of that strength, if it is known. The description always is.
    func identity(_ strength: TrackIdentity.Strength) -> TrackIdentity? {
        switch strength {
        case .persistentID: persistentID.isEmpty ? nil : .persistentID(persistentID)
        case .location: location.isEmpty ? nil : .location(location)
        case .description: description
        }
    }

    /// The strongest identity that is known.
    var identity: TrackIdentity {
        identity(.persistentID) ?? identity(.location) ?? description
    }

    private var description: TrackIdentity {
        .description(title: title, artist: artist, album: album, seconds: seconds)
    }
}

extension ImportedTrack: Identifying {}
