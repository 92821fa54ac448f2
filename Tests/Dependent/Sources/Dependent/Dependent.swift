import Cabinet
import Foundation

/// Runs what the articles *Coming from …* show, and prints what it finds.
@main
@MainActor
struct Dependent {
    static func main() async throws {
        let directory = FileManager.default.temporaryDirectory
            .appending(path: "Dependent-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: directory) }
        let (container, store, album) = try openAndInsert(directory)
        let late = Song()
        (late.title, late.year) = ("Moment's Notice", 1958)
        album.songs.append(late)
        try store.save()
        print("late:", titles(try query(store)))
        try moveLastToFront(of: album, in: store)
        try await importSongs(["Giant Steps", "Naima"], into: container)
        try store.refresh()
        print("songs:", try store.count(of: Song.self))
        try container.close()
        try reopen(directory)
    }

    private static func reopen(_ directory: URL) throws {
        let store = try Store(directory: directory, classes: [Album.self, Song.self])
        for album in try store.objects(of: Album.self) {
            print("\(album.title):", titles(album.songs))
            try delete(album, from: store)
        }
        print("left:", titles(try store.objects(of: Song.self)))
        try store.close()
    }

    private static func titles(_ songs: [Song]) -> String {
        songs.map(\.title).joined(separator: ", ")
    }
}
