/// Reads the `Library.xml` that Apple Music and iTunes export, and `iTunes Music Library.xml`.
///
/// - Every track becomes a song, whatever its kind.
/// - A playlist becomes a playlist. So does a smart playlist, with the songs it held when the
///   file was written; its rule is not kept.
/// - Not imported are the list of everything (`Master`), the lists that the program keeps by
///   itself (`Distinguished Kind`: Music, Podcasts, Purchased and the like), and folders, whose
///   items only repeat those of the playlists inside.
/// - An item that names a track the file does not have is left out and counted.
package struct AppleLibraryImporter: PropertyListConsumer {
    private var library = ImportedLibrary()
    private var foundTracks = false
    private var positions: [Int64: Int] = [:]
    /// Playlists with Track IDs; the tracks may stand behind them in the file.
    private var playlists: [(playlist: ImportedPlaylist, trackIDs: [Int64])] = []
    /// Track IDs of the playlist that is being read.
    private var trackIDs: [Int64] = []

    /// Reads all of `source`, or nothing.
    package static func read(_ source: ImportSource) throws(ImportError) -> ImportedLibrary {
        var importer = try PropertyListReader.read(source, for: AppleLibraryImporter())
        guard importer.foundTracks else {
            throw ImportError(
                path: source.path, line: nil, problem: .notALibrary(missing: "\"Tracks\""))
        }
        importer.resolvePlaylists()
        return importer.library
    }

    func requirement(at path: [String]) -> (name: String, kind: PropertyListValue.Kind)? {
        if path.isEmpty { return ("The library", .dictionary) }
        switch (path[0], path.count) {
        case ("Tracks", 1): return ("\"Tracks\"", .dictionary)
        case ("Tracks", 2): return ("Track \(path[1])", .dictionary)
        case ("Playlists", 1): return ("\"Playlists\"", .array)
        case ("Playlists", 2): return ("Playlist \(path[1])", .dictionary)
        case ("Playlists", 3) where path[2] == "Playlist Items":
            return ("Playlist \(path[1]), Playlist Items,", .array)
        case ("Playlists", 4) where path[2] == "Playlist Items":
            return ("Playlist \(path[1]), item \(path[3])", .dictionary)
        default: return nil
        }
    }

    mutating func take(
        _ value: PropertyListValue, at path: [String]
    ) throws(ImportError.Problem) -> Bool {
        guard let root = path.first else { return true }
        switch (root, path.count) {
        case (_, 1): foundTracks = foundTracks || root == "Tracks"
        case ("Tracks", 2): try takeTrack(value, key: path[1])
        case ("Playlists", 2): try takePlaylist(value, number: path[1])
        case ("Playlists", 4) where path[2] == "Playlist Items":
            let item = PropertyListEntry(value, name: "Playlist \(path[1]), item \(path[3])")
            // An item without a Track ID names no track either; no track has the ID -1.
            trackIDs.append(try item.integer("Track ID", in: 0...Int64.max) ?? -1)
        default: return false
        }
        return true
    }

    private mutating func takeTrack(
        _ value: PropertyListValue, key: String
    ) throws(ImportError.Problem) {
        let entry = PropertyListEntry(value, name: "Track \(key)")
        guard let id = try entry.integer("Track ID", in: 0...Int64.max) ?? Int64(key) else {
            throw .wrongType(
                field: "The key of a track", expected: "its Track ID",
                found: "\"\(key.prefix(40))\"")
        }
        positions[id] = library.tracks.count
        library.tracks.append(try ImportedTrack(entry))
    }

    private mutating func takePlaylist(
        _ value: PropertyListValue, number: String
    ) throws(ImportError.Problem) {
        defer { trackIDs = [] }
        let entry = PropertyListEntry(value, name: "Playlist \(number)")
        let title = try entry.string("Name") ?? ""
        if try entry.flag("Master") || entry.fields["Distinguished Kind"] != nil {
            return library.leftOut.builtInLists.append(title)
        }
        if try entry.flag("Folder") { return library.leftOut.folders.append(title) }
        if entry.fields["Smart Info"] != nil || entry.fields["Smart Criteria"] != nil {
            library.leftOut.smartRules.append(title)
        }
        playlists.append((ImportedPlaylist(title: title), trackIDs))
    }

    private mutating func resolvePlaylists() {
        for (playlist, trackIDs) in playlists {
            var playlist = playlist
            playlist.tracks = trackIDs.compactMap { positions[$0] }
            let missing = trackIDs.count - playlist.tracks.count
            if missing > 0 {
                library.leftOut.missingTracks.append(
                    .init(playlist: playlist.title, count: missing))
            }
            library.playlists.append(playlist)
        }
    }
}

extension ImportedTrack {
    /// A dictionary of `Tracks`. `Total Time` is in milliseconds and is rounded to seconds. The
    /// year 0 stands for unknown.
    init(_ entry: PropertyListEntry) throws(ImportError.Problem) {
        title = try entry.string("Name") ?? ""
        artist = try entry.string("Artist") ?? ""
        album = try entry.string("Album") ?? ""
        persistentID = try entry.string("Persistent ID") ?? ""
        // iTunes wrote the host into file URLs until version 10.
        location = (try entry.string("Location") ?? "")
            .replacing("file://localhost/", with: "file:///", maxReplacements: 1)
        let longest = Int64(UInt32.max) * 1000
        let milliseconds = try entry.integer("Total Time", in: 0...longest) ?? 0
        seconds = UInt32(min((milliseconds + 500) / 1000, Int64(UInt32.max)))
        let year = try entry.integer("Year", in: 0...9999) ?? 0
        self.year = year == 0 ? nil : UInt16(year)
    }
}
