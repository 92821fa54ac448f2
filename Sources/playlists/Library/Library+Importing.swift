import Cabinet

/// What an import did to the library.
struct ImportSummary: Hashable, Sendable {
    /// How many of something were new, brought up to date, or as the file has them already.
    struct Count: Hashable, Sendable {
        var new = 0
        var updated = 0
        var unchanged = 0

        var total: Int { new + updated + unchanged }
    }

    var songs = Count()
    var playlists = Count()
}

extension Library {
    /// Takes over the tracks and playlists of a file: all of it, or nothing if it throws.
    ///
    /// Songs are found again by ``TrackIdentity``. A playlist is found again by its title, the
    /// second of one title as the second in the library, and gets the songs of the file in their
    /// order. What the file does not mention stays.
    func take(_ imported: ImportedLibrary) throws -> ImportSummary {
        try store.undoHistory.group("import") {
            var summary = ImportSummary()
            let songs = try take(imported.tracks, &summary.songs)
            try take(imported.playlists, of: songs, &summary.playlists)
            return summary
        }
    }

    private func take(
        _ tracks: [ImportedTrack], _ count: inout ImportSummary.Count
    ) throws -> [Song] {
        if tracks.isEmpty { return [] }
        let matches = SongMatcher(try store.objects(of: Song.self)).match(tracks)
        return zip(tracks, matches).map { track, match in
            let song = match ?? Song()
            let hasChanged = song.update(from: track)
            if match == nil {
                store.insert(song)
                count.new += 1
            } else if hasChanged {
                count.updated += 1
            } else {
                count.unchanged += 1
            }
            return song
        }
    }

    private func take(
        _ playlists: [ImportedPlaylist], of songs: [Song], _ count: inout ImportSummary.Count
    ) throws {
        if playlists.isEmpty { return }
        var known: [String: [Playlist]] = [:]
        // From the back, so that the last one of a title is the one with the lowest row.
        for playlist in try store.objects(of: Playlist.self).reversed() {
            known[playlist.title, default: []].append(playlist)
        }
        for imported in playlists {
            let wanted = imported.tracks.map { songs[$0] }
            if let playlist = known[imported.title]?.popLast() {
                if playlist.songs.elementsEqual(wanted, by: ===) {
                    count.unchanged += 1
                } else {
                    playlist.songs = wanted
                    count.updated += 1
                }
            } else {
                let playlist = Playlist()
                playlist.title = imported.title
                playlist.songs = wanted
                store.insert(playlist)
                count.new += 1
            }
        }
    }
}
