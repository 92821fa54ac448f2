import Cabinet

extension Library {
    /// What an import did.
    struct Summary: Hashable {
        var songs = 0
        /// How many of the songs of the file were not in the library.
        var newSongs = 0
        var playlists = 0
        var newPlaylists = 0
    }

    /// Takes over the tracks and playlists of a file: all of it, or nothing if it throws.
    ///
    /// A song is found again by its persistent ID, or else by title, artist, album and seconds. A
    /// playlist is found again by its title, the second of one title as the second in the library,
    /// and gets the songs of the file in their order. What the file does not mention stays.
    ///
    /// - Parameter progress: gets the number of songs that are done, now and then.
    func take(
        _ imported: ImportedLibrary, progress: (Int) -> Void = { _ in }
    ) throws -> Summary {
        var summary = Summary(
            songs: imported.tracks.count, playlists: imported.playlists.count)
        // One step for undo.
        try store.undoHistory.group("import") {
            var done = 0
            let songs = zip(imported.tracks, try matches(of: imported.tracks)).map { track, match in
                if done % 1_000 == 0 { progress(done) }
                done += 1
                let song = match ?? Song()
                song.update(from: track)
                if match == nil {
                    store.insert(song)
                    summary.newSongs += 1
                }
                return song
            }
            // From the back, so that the last one of a title is the one with the lowest row.
            let known = try store.objects(of: Playlist.self).reversed()
            var byTitle = Dictionary(grouping: known, by: \.title)
            for imported in imported.playlists {
                let match = byTitle[imported.title]?.popLast()
                let playlist = match ?? Playlist()
                playlist.title = imported.title
                let wanted = imported.tracks.map { songs[$0] }
                if playlist.songs != wanted { playlist.songs = wanted }
                if match == nil {
                    store.insert(playlist)
                    summary.newPlaylists += 1
                }
            }
        }
        return summary
    }

    /// For each track the song it stands for, or `nil` if it is new.
    ///
    /// Persistent IDs go first over the whole file, and a song stands for one track only: two
    /// tracks that look alike stay two songs, however often the file is imported.
    private func matches(of tracks: [ImportedTrack]) throws -> [Song?] {
        var matches = [Song?](repeating: nil, count: tracks.count)
        // From the back, so that the last one of an identity is the one with the lowest row.
        var free = Array(try store.objects(of: Song.self).reversed())
        for strength in 0...1 {
            var songs = Dictionary(grouping: free) { $0.identities[strength] }
            for (index, track) in tracks.enumerated() where matches[index] == nil {
                let identity = track.identities[strength]
                if !identity.isEmpty { matches[index] = songs[identity]?.popLast() }
            }
            let taken = Set(matches)
            free.removeAll { taken.contains($0) }
        }
        return matches
    }
}

/// What songs and tracks have in common.
private protocol Described {
    var persistentID: String { get }
    var title: String { get }
    var artist: String { get }
    var album: String { get }
    var seconds: UInt32 { get }
}

extension Described {
    /// What a song is known again by, the stronger identity first; an empty one is unknown.
    fileprivate var identities: [[String]] {
        [
            persistentID.isEmpty ? [] : [persistentID],
            [title, artist, album, String(seconds)],
        ]
    }
}

extension Song: Described {}
extension ImportedTrack: Described {}
