import Cabinet

extension Session {
    /// Does an editing command as one step of the undo history, and saves it.
    func edit(_ invocation: Invocation) throws {
        if invocation.options[.dryRun] != nil { return try preview(invocation) }
        let message = try store.undoHistory.group(invocation.title) { try change(invocation) }
        try saveUnlessShell()
        console.print(message)
    }

    /// - Returns: what to say when it is saved.
    private func change(_ invocation: Invocation) throws -> String {
        let names = invocation.operands
        switch invocation.command {
        case .new:
            let playlist = try library.newPlaylist(names[0])
            return "Made \(quoted(playlist.title)) (@\(playlist.rowID))."
        case .rename:
            let playlist = try library.playlist(names[0])
            let old = playlist.title
            try library.rename(playlist, to: names[1])
            return "Renamed \(quoted(old)) to \(quoted(names[1]))."
        case .add: return try add(invocation)
        case .move:
            let playlist = try library.playlist(names[0])
            let (from, to) = (try invocation.place(1), try invocation.place(2))
            let song = try library.move(in: playlist, from: from, to: to)
            return "Moved \(quoted(song.title)) from place \(from) to place \(to) "
                + "in \(quoted(playlist.title))."
        case .remove:
            let playlist = try library.playlist(names[0])
            let song = try library.remove(at: invocation.place(1), from: playlist)
            return "Took \(quoted(song.title)) out of \(quoted(playlist.title))."
        case .delete:
            let playlist = try library.playlist(names[0])
            let title = playlist.title
            try store.delete(playlist)
            return "Deleted the playlist \(quoted(title)). Its songs stay in the library."
        default:
            let song = try library.song(names[0])
            let (title, left) = (song.title, places(of: song.playlists))
            try store.delete(song)
            return "Deleted the song \(quoted(title))." + (left.isEmpty ? "" : " It left \(left).")
        }
    }

    /// Says what a delete would do.
    private func preview(_ invocation: Invocation) throws {
        let name = invocation.operands[0]
        if invocation.command == .delete {
            let playlist = try library.playlist(name)
            let songs = try store.previewDelete(playlist).changed.count { $0 is Song }
            return console.print(
                "Would delete the playlist \(quoted(playlist.title)). "
                    + "\(counted(songs, "song")) would leave it, and stay in the library.")
        }
        let song = try library.song(name)
        let left = places(of: try store.previewDelete(song).changed.compactMap { $0 as? Playlist })
        console.print(
            "Would delete the song \(quoted(song.title))."
                + (left.isEmpty ? "" : " It would leave \(left)."))
    }

    /// The titles of `playlists`, which come in any order.
    private func places(of playlists: [Playlist]) -> String {
        playlists.sorted { $0.rowID < $1.rowID }.map { quoted($0.title) }.joined(separator: ", ")
    }

    private func add(_ invocation: Invocation) throws -> String {
        let playlist = try library.playlist(invocation.operands[0])
        let songs = try invocation.operands.dropFirst().map { try library.song($0) }
        try library.add(songs, to: playlist, at: invocation.at())
        let what = songs.count == 1 ? quoted(songs[0].title) : counted(songs.count, "song")
        return "Added \(what) to \(quoted(playlist.title)), "
            + "which has \(counted(playlist.songs.count, "song")) now."
    }
}
