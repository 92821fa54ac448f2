import Cabinet

extension Library {
    /// The songs of the library in that order.
    ///
    /// - Parameter limit: how many at most; `nil` for all.
    func songs(in order: SongOrder, limit: Int?) throws -> [Song] {
        try store.fetch(Song.self, sortedBy: [order.order], limit: limit)
    }

    /// The songs of `playlist` in that order, each once.
    func songs(of playlist: Playlist, in order: SongOrder) throws -> [Song] {
        let rows = Set(try playlist.loadedSongs().map(\.rowID))
        return try store.query(Song.self).filter { rows.contains($0.rowID) }
            .sorted(by: order.order).objects()
    }

    /// The songs in which `query` is found, best first.
    ///
    /// - Throws: a `QuerySyntaxError` if the query names anything but title, artist and album.
    func songs(matching query: SearchQuery, limit: Int?) throws -> SearchResults<Song> {
        // A word in the title says more than one in the album's, which its other songs have too.
        try store.query(Song.self).limit(limit).search(query, weights: ["title": 3, "artist": 2])
    }

    /// The playlists whose title has `query`, best first; `nil` for a field that they lack.
    func playlists(
        matching query: SearchQuery, limit: Int?
    ) throws -> SearchResults<Playlist>? {
        do {
            return try store.search(Playlist.self, query, limit: limit)
        } catch let error as QuerySyntaxError {
            guard case .unknownField = error.reason else { throw error }
            return nil
        }
    }
}
