import Cabinet

extension Library {
    /// The whole library as plain values.
    func listing() throws -> LibraryListing {
        var listing = LibraryListing()
        let versions = try savedVersions()
        let songs = try store.objects(of: Song.self)
        listing.songs = songs.map { listed($0, versions) }
        // While the songs are held, the playlists need not fetch them one by one.
        try withExtendedLifetime(songs) {
            listing.playlists = try store.objects(of: Playlist.self).map(listed)
        }
        return listing
    }

    /// One playlist with the songs in it.
    func listing(of playlist: Playlist) throws -> LibraryListing {
        let versions = try savedVersions()
        try store.prefetch(\Playlist.songs, of: [playlist])
        let songs = try playlist.readableSongs()
        let byRow = Dictionary(songs.map { ($0.rowID, $0) }, uniquingKeysWith: { one, _ in one })
        return LibraryListing(
            songs: byRow.values.sorted { $0.rowID < $1.rowID }.map { listed($0, versions) },
            playlists: [try listed(playlist)])
    }

    /// The version bytes of the songs' records as they are stored.
    private func savedVersions() throws -> [UInt32: UInt8] {
        var versions: [UInt32: UInt8] = [:]
        try store.forEachRecordVersion(Song.self) { row, version, _ in versions[row] = version }
        return versions
    }

    /// A song without a record will get one of the present version.
    private func listed(_ song: Song, _ versions: [UInt32: UInt8]) -> ListedSong {
        ListedSong(
            row: song.rowID, title: song.title, seconds: song.seconds,
            version: versions[song.rowID] ?? Song.version, artist: song.artist,
            album: song.album, year: song.year, location: song.location)
    }

    private func listed(_ playlist: Playlist) throws -> ListedPlaylist {
        ListedPlaylist(
            row: playlist.rowID, title: playlist.title,
            songs: try playlist.readableSongs().map(\.rowID))
    }
}
