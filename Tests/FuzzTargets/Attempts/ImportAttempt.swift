import playlists

/// Reads a file that the demo imports.
enum ImportAttempt {
    static func run(_ bytes: UnsafeRawBufferPointer) {
        let path = "/music/Library.xml"
        do throws(ImportError) {
            let library = try AppleLibraryImporter.read(
                ImportSource(path: path, bytes: Array(bytes)))
            for playlist in library.playlists {
                for track in playlist.tracks { precondition(library.tracks.indices ~= track) }
            }
        } catch {
            precondition(error.description.hasPrefix(path))
        }
    }
}
