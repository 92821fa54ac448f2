/// Reads the `Library.xml` that Apple Music and iTunes export, and `iTunes Music Library.xml`.
///
/// - Every track becomes a song, whatever its kind.
/// - A playlist becomes a playlist. So does a smart playlist, with the songs it held when the
///   file was written; its rule is not kept.
/// - Not imported are the list of everything (`Master`), the lists that the program keeps by
///   itself (`Distinguished Kind`: Music, Podcasts, Purchased and the like), and folders, whose
///   items only repeat those of the playlists inside.
/// - An item that names a track the file does not have is left out and counted.
/// - So is a value that does not fit its field, of which the first of each field is named.
package struct AppleLibraryImporter {
    private var library = ImportedLibrary()
    private var positions: [Int64: Int] = [:]
    /// Playlists with Track IDs; the tracks may stand behind them in the file.
    private var playlists: [(title: String, trackIDs: [Int64])] = []
    private var trackIDs: [Int64] = []
    private var smart: [String] = []
    private var folders: [String] = []
    private var builtIn: [String] = []
    private var misfits = Misfits()

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
        case ("Tracks", 2): takeTrack(element)
        case ("Playlists", 2): try takePlaylist(element)
        case ("Playlists", 3) where path[2] == "Playlist Items":
            for key in element.values.keys { try element.check(key, is: "dict") }
        case ("Playlists", 4) where path[2] == "Playlist Items":
            // An item without a Track ID names no track either; no track has the ID -1.
            trackIDs.append(misfits.integer("Track ID", in: 0...Int64.max, of: element) ?? -1)
        default: break
        }
    }

    /// A track whose number cannot be read is a song all the same, which no playlist can name.
    private mutating func takeTrack(_ track: PropertyListElement) {
        let id = misfits.integer("Track ID", in: 0...Int64.max, of: track)
        if let id = id ?? Int64(track.path[1]) { positions[id] = library.tracks.count }
        library.tracks.append(ImportedTrack(track, &misfits))
    }

    private mutating func takePlaylist(_ playlist: PropertyListElement) throws(ImportError.Problem)
    {
        defer { trackIDs = [] }
        try playlist.check("Playlist Items", is: "array")
        let title = misfits.string("Name", of: playlist)
        if misfits.flag("Master", of: playlist) || playlist.values["Distinguished Kind"] != nil {
            return builtIn.append(title)
        }
        if misfits.flag("Folder", of: playlist) { return folders.append(title) }
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
        library.notes += misfits.notes
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
    init(_ track: PropertyListElement, _ misfits: inout Misfits) {
        title = misfits.string("Name", of: track)
        artist = misfits.string("Artist", of: track)
        album = misfits.string("Album", of: track)
        genre = misfits.string("Genre", of: track)
        persistentID = misfits.string("Persistent ID", of: track)
        // iTunes wrote the host into file URLs until version 10.
        location = misfits.string("Location", of: track)
            .replacing("file://localhost/", with: "file:///", maxReplacements: 1)
        let longest = Int64(UInt32.max) * 1000
        let milliseconds = misfits.integer("Total Time", in: 0...longest, of: track) ?? 0
        seconds = UInt32((milliseconds + 500) / 1000)
        year = misfits.integer("Year", in: 0...9999, of: track)
            .flatMap { $0 == 0 ? nil : UInt16($0) }
    }
}
