import playlists

/// Reads a file that the demo imports.
enum ImportAttempt {
    /// The ending of the file's name says how `bytes` are to be read.
    static func run(_ bytes: UnsafeRawBufferPointer, as ending: String) {
        let path = "/music/file." + ending
        do throws(ImportError) {
            let library = try LibraryImporter.read(
                ImportSource(path: path, bytes: Array(bytes)),
                progress: { read, total in precondition(read <= total) })
            for playlist in library.playlists {
                for track in playlist.tracks { precondition(library.tracks.indices ~= track) }
            }
        } catch {
            precondition(error.description.hasPrefix(path))
        }
    }
}
