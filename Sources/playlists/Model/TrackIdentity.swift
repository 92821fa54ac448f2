/// What makes two descriptions of a song the same song: the persistent ID, or else title, artist,
/// album and seconds together. Importing a file again therefore updates songs.
enum TrackIdentity: Hashable, Sendable {
    case persistentID(String)
    case description(title: String, artist: String, album: String, seconds: UInt32)

    /// Ways to know a song again, the stronger one first.
    enum Strength: CaseIterable, Sendable {
        case persistentID, description
    }
}

/// Anything that says what song it is.
protocol Identifying {
    var persistentID: String { get }
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
        case .description:
            .description(title: title, artist: artist, album: album, seconds: seconds)
        }
    }
}

extension ImportedTrack: Identifying {}
