import Cabinet
import Foundation

final class Album: StoredObject {
    @Field var title = ""
    @Many(inverse: \Song.album, onDelete: .cascade) var songs: [Song]  // in their order
}

final class Song: StoredObject {
    @Field(was: "name") var title = ""  // `name` in the program before
    @Field var year = 0
    @One var album: Album?
}

func openAndInsert(_ directory: URL) throws -> (StoreContainer, Store, Album) {
    let container = try StoreContainer(directory: directory, classes: [Album.self, Song.self])
    let store = try container.makeStore()
    let (album, song) = (Album(), Song())
    (album.title, song.title, song.year) = ("Blue Train", "Locomotion", 1957)
    store.insert(album)
    album.songs.append(song)  // inserts the song, and sets its album
    try store.save()
    return (container, store, album)
}

func query(_ store: Store) throws -> [Song] {
    try store.fetch(
        Song.self, where: #Predicate { $0.year > 1957 }, sortedBy: [.ascending(\.title)], limit: 20)
}

func moveLastToFront(of album: Album, in store: Store) throws {
    let last = album.songs.removeLast()
    album.songs.insert(last, at: 0)
    try store.save()
}

func delete(_ album: Album, from store: Store) throws {
    try store.delete(album)  // and its songs, by the rule
    try store.save()
}

func importSongs(_ titles: [String], into container: StoreContainer) async throws {
    try await container.write(author: "import") { store in
        for title in titles {
            let song = Song()
            song.title = title
            store.insert(song)
        }
    }
}
