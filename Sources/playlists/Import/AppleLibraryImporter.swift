/// Reads the `Library.xml` that Apple Music and iTunes export, and `iTunes Music Library.xml`.
///
/// - Every track becomes a song, whatever its kind.
/// - A playlist becomes a playlist. So does a smart playlist, with the songs it held when the
///   file was written; its rule is not kept.
/// - Not imported are the list of everything (`Master`), the lists that the program keeps by
///   itself (`Distinguished Kind`: Music, Podcasts, Purchased and the like), and folders, whose
///   items only repeat those of the playlists inside.
/// - An item that names a track the file does not have is left out and counted.
package struct AppleLibraryImporter {
    private var library = ImportedLibrary()
    private var positions: [Int64: Int] = [:]
    /// Playlists with Track IDs; the tracks may stand behind them in the file.
    private var playlists: [(title: String, trackIDs: [Int64])] = []
    /// Track IDs of the playlist that is being read.
    private var trackIDs: [Int64] = []
    private var smart: [String] = []
    private var folders: [String] = []
    private var builtIn: [String] = []

    /// Reads all of `source`, or nothing.
    package static func read(_ source: ImportSource) throws(ImportError) -> ImportedLibrary {
        var importer = AppleLibraryImporter()
        try PropertyListReader.read(source) { (element) throws(ImportError.Problem) in
            try importer.take(element)
        }
        importer.resolvePlaylists()
        return importer.library
    }

    /// Takes a container; those inside it came before.
    private mutating func take(_ element: PropertyListElement) throws(ImportError.Problem) {
        let path = element.path
        switch (path.first, path.count) {
        case (nil, _):
            if element.values["Tracks"] == nil { throw .notALibrary }
            try element.check("Tracks", is: "dict")
            try element.check("Playlists", is: "array")
        case ("Tracks", 1), ("Playlists", 1):
            for key in element.values.keys { try element.check(key, is: "dict") }
        case ("Tracks", 2): try takeTrack(element)
        case ("Playlists", 2): try takePlaylist(element)
        case ("Playlists", 3) where path[2] == "Playlist Items":
            for key in element.values.keys { try element.check(key, is: "dict") }
        case ("Playlists", 4) where path[2] == "Playlist Items":
            // An item without a Track ID names no track either; no track has the ID -1.
            trackIDs.append(try element.integer("Track ID", in: 0...Int64.max) ?? -1)
        default: break
        }
    }

    private mutating func takeTrack(_ track: PropertyListElement) throws(ImportError.Problem) {
        let range = 0...Int64.max
        guard let id = try track.integer("Track ID", in: range) ?? Int64(track.path[1]) else {
            throw .outOfRange(field: "The key of a track", value: track.path[1], range: range)
        }
        positions[id] = library.tracks.count
        library.tracks.append(try ImportedTrack(track))
    }

    private mutating func takePlaylist(_ playlist: PropertyListElement) throws(ImportError.Problem)
    {
        defer { trackIDs = [] }
        try playlist.check("Playlist Items", is: "array")
        let title = try playlist.string("Name")
        if try playlist.flag("Master") || playlist.values["Distinguished Kind"] != nil {
            return builtIn.append(title)
        }
        if try playlist.flag("Folder") { return folders.append(title) }
        if playlist.values["Smart Info"] != nil || playlist.values["Smart Criteria"] != nil {
            smart.append(title)
        }
        playlists.append((title, trackIDs))
    }

    private mutating func resolvePlaylists() {
        for (title, trackIDs) in playlists {
            let tracks = trackIDs.compactMap { positions[$0] }
            let missing = counted(trackIDs.count - tracks.count, "item")
            if tracks.count < trackIDs.count {
                library.notes.append(
                    "Playlist \(quoted(title)): \(missing) left out, as the track is missing.")
            }
            library.playlists.append(ImportedPlaylist(title: title, tracks: tracks))
        }
        for (text, titles) in [
            ("Imported with their present songs, without their rules", smart),
            ("Folders are not kept, the playlists inside them are", folders),
            ("Lists of the exporting program itself, not imported", builtIn),
        ] where !titles.isEmpty {
            library.notes.append("\(text): \(titles.map(quoted).joined(separator: ", ")).")
        }
    }
}

extension ImportedTrack {
    /// A dictionary of `Tracks`. `Total Time` is in milliseconds and is rounded to seconds. The
    /// year 0 stands for unknown.
    init(_ track: PropertyListElement) throws(ImportError.Problem) {
        title = try track.string("Name")
        artist = try track.string("Artist")
        album = try track.string("Album")
        genre = try track.string("Genre")
        persistentID = try track.string("Persistent ID")
        // iTunes wrote the host into file URLs until version 10.
        location = try track.string("Location")
            .replacing("file://localhost/", with: "file:///", maxReplacements: 1)
        let longest = Int64(UInt32.max) * 1000
        let milliseconds = try track.integer("Total Time", in: 0...longest) ?? 0
        seconds = UInt32((milliseconds + 500) / 1000)
        year = try track.integer("Year", in: 0...9999).flatMap { $0 == 0 ? nil : UInt16($0) }
    }
}
