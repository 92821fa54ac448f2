import Cabinet

extension Session {
    /// Shows the songs that a query in text gives, and each change that others save of them.
    ///
    /// - Throws: ``UsageError``, `QuerySyntaxError`, or why the store cannot be read any more.
    @MainActor func watch(_ invocation: Invocation) async throws {
        var left = try invocation.times()
        let live = try store.query(Song.self)
            .filter(text: QueryText(invocation.operands.first ?? "")).live()
        let following = follow()
        defer { following.cancel() }
        var songs = WatchedSongs()
        for try await change in live.changes {
            let lines = songs.take(change)
            // A process that begins to write need not change a song.
            if lines?.isEmpty == true { continue }
            show(change.objects, lines)
            if left == 0 || console.failure != nil { return }
            left = left.map { $0 - 1 }
        }
        following.cancel()
        try await following.value
    }

    /// Takes up what others save, five times a second: a program is not told of what another process
    /// saves. Where that fails, the store is closed, which ends the changes.
    @MainActor private func follow() -> Task<Void, any Error> {
        Task { @MainActor [store] in
            do {
                while !Task.isCancelled {
                    try await Task.sleep(for: .milliseconds(200))
                    try store.refresh()
                }
            } catch is CancellationError {
                return
            } catch {
                try? store.close()
                throw error
            }
        }
    }

    /// A terminal shows all songs after each change, a pipe only what has changed.
    /// - Parameter lines: `nil` for the first list.
    private func show(_ songs: LiveList<Song>, _ lines: [String]?) {
        if console.showsMarks { console.write("\u{1B}[H\u{1B}[2J", to: .output) }
        if lines == nil || console.showsMarks { printSongs(Array(songs), withYears: true) }
        console.print(lines ?? [])
        console.print("\(counted(songs.count, "song")).")
    }
}

/// What was shown of songs that are watched: one that is deleted cannot be read any more.
private struct WatchedSongs {
    private var list: LiveList<Song>?
    private var lines: [RowID: String] = [:]

    /// The lines that say what a change has changed; `nil` for the first list.
    mutating func take(_ change: LiveChange<Song>) -> [String]? {
        defer { list = change.objects }
        if change.isReset { return reset(to: change.objects) }
        let gone = change.deletions.compactMap { list?[$0].rowID }
        var news = gone.map { "- " + (lines.removeValue(forKey: $0) ?? "@\($0)") }
        for (sign, places) in [("+", change.insertions), ("~", change.updates)] {
            for song in places.map({ change.objects[$0] }) {
                let line = Self.line(song)
                lines[song.rowID] = line
                news.append("\(sign) \(line)")
            }
        }
        return news
    }

    /// The same where only the new list is known. So it is after the first save of a process that began to
    /// write when the songs were shown already.
    private mutating func reset(to songs: LiveList<Song>) -> [String]? {
        let before = lines
        let rows = songs.rowIDs
        lines = Dictionary(uniqueKeysWithValues: zip(rows, songs.map(Self.line)))
        guard let list else { return nil }
        let gone = list.rowIDs.filter { lines[$0] == nil }.map { "- \(before[$0] ?? "@\($0)")" }
        return gone
            + rows.compactMap { row in
                guard let line = lines[row], line != before[row] else { return nil }
                return "\(before[row] == nil ? "+" : "~") \(line)"
            }
    }

    private static func line(_ song: Song) -> String {
        let year = song.year.map { "\($0)" } ?? ""
        let facts = [song.artist, song.album, year].filter { !$0.isEmpty }
        return (["@\(song.rowID)  \(quoted(song.title))"] + facts.map(\.printable))
            .joined(separator: ", ")
    }
}
