import Cabinet

extension Session {
    func search(_ invocation: Invocation) throws {
        let text = invocation.operands.joined(separator: " ")
        let limit = try invocation.limit()
        let query =
            try invocation.options[.query] == nil ? SearchQuery(typed: text) : SearchQuery(text)
        let songs = try library.songs(matching: query, limit: limit)
        let playlists = try library.playlists(matching: query, limit: limit)
        if let playlists, !playlists.isEmpty {
            try printPlaylists(playlists.objects) { index, _ in
                Self.cell(playlists[index], \.title)
            }
            if !songs.isEmpty { console.print() }
        }
        printSongs(songs.objects) { index, _ in
            [\Song.title, \.artist, \.album].map { Self.cell(songs[index], $0) }
        }
        console.print(
            "\(counted(songs.totalCount, "song")) and "
                + "\(counted(playlists?.totalCount ?? 0, "playlist")) found.")
    }

    /// A text of an object, of a long one the part in which most was found, with what was found.
    private static func cell<Object>(
        _ hit: SearchHit<Object>, _ text: KeyPath<Object, String>
    ) -> TableCell {
        let snippet = hit.snippet(in: text, length: 48)
        return TableCell(snippet.text, marking: snippet.ranges)
    }
}
