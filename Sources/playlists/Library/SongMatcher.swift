/// Finds the songs of the library that the tracks of a file stand for.
///
/// Strong identities go first over the whole file, and a song stands for one track only. So two
/// tracks of one file that look alike stay two songs, however often the file is imported.
struct SongMatcher {
    private let songs: [Song]

    init(_ songs: [Song]) {
        self.songs = songs
    }

    /// For each track its song, or `nil` for a track that is new.
    func match(_ tracks: [ImportedTrack]) -> [Song?] {
        var matches = [Song?](repeating: nil, count: tracks.count)
        var claimed = Set<ObjectIdentifier>()
        for strength in TrackIdentity.Strength.allCases {
            var candidates: [TrackIdentity: [Song]] = [:]
            // From the back, so that the last candidate is the one with the lowest row.
            for song in songs.reversed() where !claimed.contains(ObjectIdentifier(song)) {
                guard let identity = song.identity(strength) else { continue }
                candidates[identity, default: []].append(song)
            }
            for (index, track) in tracks.enumerated() where matches[index] == nil {
                guard let identity = track.identity(strength),
                    let song = candidates[identity]?.popLast()
                else { continue }
                matches[index] = song
                claimed.insert(ObjectIdentifier(song))
            }
        }
        return matches
    }
}
