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
            show(change, songs.take(change))
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
    private func show(_ change: LiveChange<Song>, _ lines: [String]) {
        if console.showsMarks { console.write("\u{1B}[H\u{1B}[2J", to: .output) }
        if change.isReset || console.showsMarks {
            printSongs(Array(change.objects), withYears: true)
        }
        console.print(lines)
        console.print("\(counted(change.objects.count, "song")).")
    }
}

/// What was shown of songs that are watched: one that is deleted cannot be read any more.
private struct WatchedSongs {
    private var list: LiveList<Song>?
    private var lines: [RowID: String] = [:]

    /// The lines that say what a change has changed.
    mutating func take(_ change: LiveChange<Song>) -> [String] {
        let gone = change.deletions.compactMap { list?[$0].rowID }
        list = change.objects
        if change.isReset {
            lines = [:]
            for song in change.objects { lines[song.rowID] = Self.line(song) }
            return []
        }
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

    private static func line(_ song: Song) -> String {
        let year = song.year.map { "\($0)" } ?? ""
        let facts = [song.artist, song.album, year].filter { !$0.isEmpty }
        return (["@\(song.rowID)  \(quoted(song.title))"] + facts.map(\.printable))
            .joined(separator: ", ")
    }
}
