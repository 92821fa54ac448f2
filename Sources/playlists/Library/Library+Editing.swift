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
        let end = playlist.songs.count + 1
        try check(place ?? end, in: playlist, last: end)
        playlist.songs.insert(contentsOf: songs, at: (place ?? end) - 1)
    }

    /// Moves the song at place `from` so that it stands at place `to` afterwards, and returns it.
    /// - Throws: ``LibraryError/noSuchPlace(_:playlist:last:)``.
    @discardableResult
    func move(in playlist: Playlist, from: Int, to: Int) throws -> Song {
        try playlist.load()
        for place in [from, to] { try check(place, in: playlist, last: playlist.songs.count) }
        let song = playlist.songs[from - 1]
        if from == to { return song }
        // One edit: of two, the first would take the playlist from the song.
        var songs = playlist.songs
        songs.remove(at: from - 1)
        songs.insert(song, at: to - 1)
        playlist.songs = songs
        return song
    }

    /// Takes the song at `place` out of `playlist` and returns it. It stays in the library.
    /// - Throws: ``LibraryError/noSuchPlace(_:playlist:last:)``.
    @discardableResult
    func remove(at place: Int, from playlist: Playlist) throws -> Song {
        try playlist.load()
        try check(place, in: playlist, last: playlist.songs.count)
        return playlist.songs.remove(at: place - 1)
    }

    private func check(_ place: Int, in playlist: Playlist, last: Int) throws {
        guard place >= 1, place <= last else {
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
