/// What a file held that was not imported, and why.
struct LeftOut: Hashable, Sendable {
    /// A playlist that named tracks the file does not have, and how often it did.
    struct MissingTracks: Hashable, Sendable {
        var playlist: String
        var count: Int
    }

    /// One entry for each such playlist, in the order of the file.
    var missingTracks: [MissingTracks] = []
    /// Titles of folders; the playlists inside them are imported.
    var folders: [String] = []
    /// Titles of lists that the exporting program keeps by itself, such as "Library" or "Music".
    var builtInLists: [String] = []
    /// Titles of smart playlists. They *are* imported, as the songs they held when exported; what
    /// is left out is the rule.
    var smartRules: [String] = []

    /// All items of all playlists that named no track.
    var missingTrackCount: Int { missingTracks.reduce(0) { $0 + $1.count } }

    /// Sentences for a person, most important first; empty if nothing was left out.
    var report: [String] {
        var lines: [String] = []
        for missing in missingTracks {
            let items = missing.count == 1 ? "1 item" : "\(missing.count) items"
            lines.append(
                "Playlist \"\(missing.playlist)\": \(items) left out, "
                    + "because the file does not have the track.")
        }
        if !smartRules.isEmpty {
            lines.append(
                "Imported with their present songs, without their rules: \(list(smartRules)).")
        }
        if !folders.isEmpty {
            lines.append(
                "Folders are not kept, the playlists inside them are: \(list(folders)).")
        }
        if !builtInLists.isEmpty {
            lines.append(
                "Lists of the exporting program itself, not imported: \(list(builtInLists)).")
        }
        return lines
    }

    private func list(_ titles: [String]) -> String {
        titles.map { "\"\($0)\"" }.joined(separator: ", ")
    }
}
