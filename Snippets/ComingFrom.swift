import Cabinet
import Foundation

final class Song: StoredObject {
    @Field var title = ""
    @Field var year = 0
    @One var album: Album?
}

final class Album: StoredObject {
    @Field var title = ""
    @Many(inverse: \Song.album, onDelete: .cascade) var songs: [Song]
}

func firstSteps(_ directory: URL) throws {
    let store = try Store(directory: directory, classes: [Song.self, Album.self])
    let album = Album()
    album.title = "Blue Train"
    store.insert(album)
    album.songs.append(Song())  // inserted with it
    try store.save()
    let late = try store.fetch(Song.self, where: #Predicate { $0.year > 1957 })
    for song in late { try store.delete(song) }
    try store.undoHistory.group("Rename") { album.title = "Blue Train (Mono)" }
    try store.save()
}
