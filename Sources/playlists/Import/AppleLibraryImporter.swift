/// Reads the `Library.xml` that Apple Music and iTunes export, and `iTunes Music Library.xml`.
///
/// - Every track becomes a song, whatever its kind.
/// - A playlist becomes a playlist. So does a smart playlist, with the songs it held when the
///   file was written; its rule is not kept.
/// - Not imported are the list of everything (`Master`), the lists that the program keeps by
///   itself (`Distinguished Kind`: Music, Podcasts, Purchased and the like), and folders, whose
///   items only repeat those of the playlists inside.
/// - An item that names a track the file does not have is left out and counted.
struct AppleLibraryImporter {
    private var reader: PropertyListReader
    private let progress: ImportProgress
    private var library = ImportedLibrary()
    private var positions: [Int64: Int] = [:]
    /// Playlists with Track IDs; the tracks may stand behind them in the file.
    private var playlists: [(playlist: ImportedPlaylist, trackIDs: [Int64])] = []

    static func read(
        _ source: ImportSource, progress: ImportProgress
    ) throws(ImportError) -> ImportedLibrary {
        try withoutActuallyEscaping(progress) { (progress) throws(ImportError) in
            var importer = AppleLibraryImporter(
                reader: try PropertyListReader(source), progress: progress)
            return try importer.read()
        }
    }

    private init(reader: PropertyListReader, progress: @escaping ImportProgress) {
        self.reader = reader
        self.progress = progress
    }

    private mutating func read() throws(ImportError) -> ImportedLibrary {
        var foundTracks = false
        if try reader.beginDictionary("The library") {
            while let key = try reader.nextKey() {
                switch key {
                case "Tracks":
                    foundTracks = true
                    try readTracks()
                case "Playlists": try readPlaylists()
                default: _ = try reader.readValue()
                }
            }
        }
        try reader.finish()
        guard foundTracks else {
            throw reader.source.error(.notALibrary(missing: "\"Tracks\""), at: 0)
        }
        resolvePlaylists()
        return library
    }

    private mutating func readTracks() throws(ImportError) {
        guard try reader.beginDictionary("\"Tracks\"") else { return }
        while let key = try reader.nextKey() {
            let entry = try readEntry(named: "Track \(key)")
            let ids: ClosedRange<Int64> = 0...Int64.max
            guard let id = try entry.integer("Track ID", in: ids) ?? Int64(key) else {
                let problem = ImportError.Problem.wrongType(
                    field: "The key of a track", expected: "its Track ID",
                    found: "\"\(key.prefix(40))\"")
                throw reader.source.error(problem, at: entry.offset)
            }
            positions[id] = library.tracks.count
            library.tracks.append(try ImportedTrack(entry))
            progress(reader.position, reader.source.bytes.count)
        }
    }

    private mutating func readPlaylists() throws(ImportError) {
        guard try reader.beginArray("\"Playlists\"") else { return }
        var number = 0
        while try reader.hasNextElement() {
            number += 1
            try take(readEntry(named: "Playlist \(number)"))
            progress(reader.position, reader.source.bytes.count)
        }
    }

    private mutating func readEntry(named name: String) throws(ImportError) -> PropertyListEntry {
        let offset = try reader.offsetOfValue()
        let value = try reader.readValue()
        guard case .dictionary(let fields) = value else {
            let problem = ImportError.Problem.wrongType(
                field: name, expected: "a dictionary", found: value.kind)
            throw reader.source.error(problem, at: offset)
        }
        return PropertyListEntry(
            fields: fields, name: name, offset: offset, source: reader.source)
    }

    private mutating func take(_ entry: PropertyListEntry) throws(ImportError) {
        var playlist = ImportedPlaylist()
        playlist.title = try entry.string("Name") ?? ""
        let isBuiltIn = try entry.flag("Master") || entry.fields["Distinguished Kind"] != nil
        if isBuiltIn {
            library.leftOut.builtInLists.append(playlist.title)
            return
        }
        if try entry.flag("Folder") {
            library.leftOut.folders.append(playlist.title)
            return
        }
        if entry.fields["Smart Info"] != nil || entry.fields["Smart Criteria"] != nil {
            library.leftOut.smartRules.append(playlist.title)
        }
        var trackIDs: [Int64] = []
        for item in try entry.entries("Playlist Items") {
            // An item without a Track ID names no track either; no track has the ID -1.
            trackIDs.append(try item.integer("Track ID", in: 0...Int64.max) ?? -1)
        }
        playlists.append((playlist, trackIDs))
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
