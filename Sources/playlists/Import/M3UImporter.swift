/// Reads `.m3u` and `.m3u8` playlists.
///
/// The file is one playlist, named by `#PLAYLIST:` or else after the file. `#EXTINF:` gives the
/// seconds and "Artist - Title" of the file named on the next line; `#EXTART:` and `#EXTALB:`
/// give artist and album. Without them the title is the name of the file. An `#EXTINF:` with no
/// file after it is a song whose place is unknown. Other comments are passed over.
struct M3UImporter {
    enum Encoding: Sendable {
        /// As `.m3u8` must be.
        case utf8
        /// Latin-1 if the bytes are not UTF-8, as old players write `.m3u`.
        case utf8OrLatin1
    }

    private let source: ImportSource
    private let encoding: Encoding
    private let directory: String
    private var library = ImportedLibrary()
    private var playlist = ImportedPlaylist()
    private var positions: [TrackIdentity: Int] = [:]
    private var pending = M3UEntry()

    static func read(
        _ source: ImportSource, encoding: Encoding, progress: ImportProgress
    ) throws(ImportError) -> ImportedLibrary {
        var importer = M3UImporter(source: source, encoding: encoding)
        return try importer.read(progress)
    }

    private init(source: ImportSource, encoding: Encoding) {
        self.source = source
        self.encoding = encoding
        directory = source.directory
    }

    private mutating func read(_ progress: ImportProgress) throws(ImportError) -> ImportedLibrary {
        var start = try source.startOfText()
        let isLatin1 = try checkEncoding(from: start)
        while start < source.bytes.count {
            let end = endOfLine(from: start)
            let text: String
            if isLatin1 {
                text = String(
                    String.UnicodeScalarView(
                        source.bytes[start..<end].map { Unicode.Scalar($0) }))
            } else {
                text = try source.text(start..<end)
            }
            try take(line: text, at: start)
            start = end + 1
            progress(min(start, source.bytes.count), source.bytes.count)
        }
        finishEntry(path: "")
        if playlist.title.isEmpty { playlist.title = source.title }
        library.playlists = [playlist]
        return library
    }

    /// Whether the bytes are to be read as Latin-1.
    private func checkEncoding(from start: Int) throws(ImportError) -> Bool {
        do {
            _ = try source.text(start..<source.bytes.count)
            return false
        } catch {
            guard encoding == .utf8OrLatin1 else { throw error }
            return true
        }
    }

    private func endOfLine(from start: Int) -> Int {
        let newlines: [UInt8] = [UInt8(ascii: "\n"), UInt8(ascii: "\r")]
        return source.bytes[start...].firstIndex(where: { newlines.contains($0) })
            ?? source.bytes.count
    }

    private mutating func take(line: String, at offset: Int) throws(ImportError) {
        let text = line.trimmed
        if text.isEmpty { return }
        guard text.hasPrefix("#") else {
            finishEntry(path: text)
            return
        }
        if let value = text.value(after: "#EXTINF:") {
            finishEntry(path: "")
            try pending.takeInformation(value, source: source, offset: offset)
        } else if let value = text.value(after: "#PLAYLIST:") {
            playlist.title = value
        } else if let value = text.value(after: "#EXTART:") {
            pending.artist = value
        } else if let value = text.value(after: "#EXTALB:") {
            pending.album = value
        } else if text.hasPrefix("#EXT-X-") {
            throw source.error(.streamingManifest, at: offset)
        }
    }

    private mutating func finishEntry(path: String) {
        guard !path.isEmpty || pending.display != nil else { return }
        let track = pending.track(path: path, directory: directory)
        pending = M3UEntry()
        let position = positions[track.identity] ?? library.tracks.count
        if position == library.tracks.count {
            positions[track.identity] = position
            library.tracks.append(track)
        }
        playlist.tracks.append(position)
    }
}
