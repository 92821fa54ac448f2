import Cabinet

extension Session {
    /// Shows who has the most songs, or the most time.
    func top(_ invocation: Invocation) throws {
        let name = invocation.operands[0]
        guard let group = SongGroup(rawValue: name) else {
            let known = SongGroup.allCases.map(\.rawValue).joined(separator: ", ")
            throw UsageError("There is no top \"\(name)\". There are: \(known).")
        }
        let measure = invocation.options[.by] ?? "songs"
        guard ["songs", "time"].contains(measure) else {
            throw UsageError("--by needs songs or time, not \"\(measure)\".")
        }
        let limit = try invocation.limit() ?? 10
        let counts = try library.counts(of: group, byTime: measure == "time")
        var table = Table([group.heading, "Songs", "Time"], right: ["Songs", "Time"])
        for count in counts.prefix(limit) {
            table.append([count.name, "\(count.songs)", clock(count.seconds)])
        }
        console.print(table)
        let noun = String(group.rawValue.dropLast())
        console.print("\(counted(counts.count, noun)) in all.")
    }

    /// Lists all artists, or the songs of one.
    func browse(_ invocation: Invocation) throws {
        let limit = try invocation.limit() ?? .max
        let byArtist = try library.byArtist
        if let artist = invocation.operands.first {
            printSongs(try byArtist.objects(in: artist, at: 0..<limit))
            let count = try byArtist.count(in: artist)
            return console.print("\(quoted(artist)): \(counted(count, "song")).")
        }
        let artists = try byArtist.groups()
        var table = Table(["Artist", "Songs"], right: ["Songs"])
        for artist in artists.prefix(limit) { table.append([artist.key, "\(artist.count)"]) }
        console.print(table)
        console.print("\(counted(artists.count, "artist")) in all.")
    }

    func duplicates() throws {
        let groups = try library.duplicates()
        let songs = groups.flatMap { $0 }
        printSongs(songs)
        console.print(
            groups.isEmpty
                ? "No two songs have the same title and artist."
                : "\(counted(songs.count, "song")) of \(counted(groups.count, "title")), "
                    + "each of one artist.")
    }
}
