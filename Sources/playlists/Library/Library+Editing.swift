import Cabinet

extension Library {
    /// Makes an empty playlist.
    ///
    /// - Throws: ``LibraryError/emptyTitle``, ``LibraryError/titleTaken(_:)``.
    @discardableResult
    func newPlaylist(_ title: String) throws -> Playlist {
        try checkTitle(title, for: nil)
        let playlist = Playlist()
        playlist.title = title
        store.insert(playlist)
        return playlist
    }

    /// - Throws: ``LibraryError/emptyTitle``, ``LibraryError/titleTaken(_:)``.
    func rename(_ playlist: Playlist, to title: String) throws {
        try checkTitle(title, for: playlist)
        playlist.title = title
    }

    /// Puts `songs` into `playlist` before what stands at `place`, from 1, or at the end.
    ///
    /// - Throws: ``LibraryError/noSuchPlace(_:playlist:last:)``; one past the last place is fine.
    func add(_ songs: [Song], to playlist: Playlist, at place: Int?) throws {
        try playlist.load()
        let count = playlist.songs.count
        let place = place ?? count + 1
        guard (1...count + 1).contains(place) else {
            throw LibraryError.noSuchPlace(place, playlist: playlist.title, last: count + 1)
        }
        playlist.songs.insert(contentsOf: songs, at: place - 1)
    }

    /// Moves the song at place `from` so that it stands at place `to` afterwards.
    ///
    /// - Throws: ``LibraryError/noSuchPlace(_:playlist:last:)``.
    /// - Returns: the song.
    @discardableResult
    func move(in playlist: Playlist, from: Int, to: Int) throws -> Song {
        try check(from, in: playlist)
        try check(to, in: playlist)
        let song = playlist.songs[from - 1]
        if from == to { return song }
        playlist.songs.remove(at: from - 1)
        playlist.songs.insert(song, at: to - 1)
        return song
    }

    /// Takes the song at `place` out of `playlist`.
    ///
    /// - Throws: ``LibraryError/noSuchPlace(_:playlist:last:)``.
    /// - Returns: the song, which stays in the library.
    @discardableResult
    func remove(at place: Int, from playlist: Playlist) throws -> Song {
        try check(place, in: playlist)
        return playlist.songs.remove(at: place - 1)
    }

    private func check(_ place: Int, in playlist: Playlist) throws {
        try playlist.load()
        let last = playlist.songs.count
        guard last > 0, (1...last).contains(place) else {
            throw LibraryError.noSuchPlace(place, playlist: playlist.title, last: last)
        }
    }

    private func checkTitle(_ title: String, for playlist: Playlist?) throws {
        if title.isEmpty { throw LibraryError.emptyTitle }
        for other in try store.objects(of: Playlist.self)
        where other !== playlist && other.title == title {
            throw LibraryError.titleTaken(title)
        }
    }
}
