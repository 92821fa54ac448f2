import Cabinet
import Foundation

final class Song: StoredObject {
    @Field var title = ""
}

func importSongs(_ titles: [String], into directory: URL) throws {
    let store = try Store(directory: directory, classes: [Song.self], durability: .process)
    for title in titles {
        let song = Song()
        song.title = title
        store.insert(song)
        try store.save()  // safe from a kill, not yet from a power cut
    }
    try store.sync()  // now also from a power cut
    try store.close()
}
