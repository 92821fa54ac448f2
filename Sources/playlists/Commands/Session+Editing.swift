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
        if invocation.command == .new {
            let playlist = try library.newPlaylist(names[0])
            return "Made \(quoted(playlist.title)) (@\(playlist.rowID))."
        }
        if invocation.command == .deleteSong {
            let song = try library.song(names[0])
            let (title, left) = (quoted(song.title), titles(of: song.playlists))
            try store.delete(song)
            return "Deleted the song \(title)." + (left.isEmpty ? "" : " It left \(left).")
        }
        let playlist = try library.playlist(names[0])
        let title = quoted(playlist.title)
        switch invocation.command {
        case .rename:
            try library.rename(playlist, to: names[1])
            return "Renamed \(title) to \(quoted(names[1]))."
        case .add:
            let songs = try names.dropFirst().map { try library.song($0) }
            try library.add(songs, to: playlist, at: invocation.at())
            let what = songs.count == 1 ? quoted(songs[0].title) : counted(songs.count, "song")
            return "Added \(what) to \(title), which has "
                + "\(counted(playlist.songs.count, "song")) now."
        case .move:
            let (from, to) = (try invocation.place(1), try invocation.place(2))
            let song = try library.move(in: playlist, from: from, to: to)
            return "Moved \(quoted(song.title)) from place \(from) to place \(to) in \(title)."
        case .remove:
            let song = try library.remove(at: invocation.place(1), from: playlist)
            return "Took \(quoted(song.title)) out of \(title)."
        default:
            try store.delete(playlist)
            return "Deleted the playlist \(title). Its songs stay in the library."
        }
    }

    private func preview(_ invocation: Invocation) throws {
        let name = invocation.operands[0]
        if invocation.command == .delete {
            let playlist = try library.playlist(name)
            let songs = counted(
                try store.previewDelete(playlist).changed.count { $0 is Song }, "song")
            return console.print(
                "Would delete the playlist \(quoted(playlist.title)). "
                    + "\(songs) would leave it, and stay in the library.")
        }
        let song = try library.song(name)
        let left = titles(of: try store.previewDelete(song).changed.compactMap { $0 as? Playlist })
        console.print(
            "Would delete the song \(quoted(song.title))."
                + (left.isEmpty ? "" : " It would leave \(left)."))
    }

    /// The titles of `playlists`, which come in any order.
    private func titles(of playlists: [Playlist]) -> String {
        playlists.sorted { $0.rowID < $1.rowID }.map { quoted($0.title) }.joined(separator: ", ")
    }
}
