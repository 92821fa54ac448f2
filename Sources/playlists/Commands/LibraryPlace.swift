import Foundation

/// Where libraries are kept on disk.
enum LibraryPlace {
    /// The directory that `--store` names, else `playlists/Music` in the user's data directory:
    /// `~/.local/share` (or `$XDG_DATA_HOME`), on macOS `~/Library/Application Support`.
    static func directory(_ option: String?) -> URL {
        if let option { return URL(fileURLWithPath: option, isDirectory: true) }
        let places = FileManager.default.urls(
            for: .applicationSupportDirectory, in: .userDomainMask)
        let home = FileManager.default.homeDirectoryForCurrentUser
        return (places.first ?? home.appending(path: ".local/share"))
            .appending(path: "playlists/Music")
    }

    /// - Throws: ``LibraryError/libraryInTheWay(path:)`` if there is anything in `directory`.
    static func checkEmpty(_ directory: URL) throws {
        guard FileManager.default.fileExists(atPath: directory.path) else { return }
        let content = try FileManager.default.contentsOfDirectory(atPath: directory.path)
        guard content.isEmpty else { throw LibraryError.libraryInTheWay(path: directory.path) }
    }

    /// Calls `body` with a directory that is gone afterwards. The directory itself is not made.
    static func withTemporaryDirectory(_ body: (URL) throws -> Void) throws {
        let parent = URL.temporaryDirectory.appending(path: "playlists-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: parent, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: parent) }
        try body(parent.appending(path: "Music"))
    }
}
