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
