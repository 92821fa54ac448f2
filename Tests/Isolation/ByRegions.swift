// Each line that ends in `// refused` must not compile: objects and stores stay in their isolation
// domain. All other lines must compile.
import Cabinet

final class Song: StoredObject {
    @Field var title = ""
    @One var album: Album?
}

final class Album: StoredObject {
    @Many(inverse: \Song.album) var songs: [Song]
}

// What crosses over.

func valuesLeave(_ container: StoreContainer) async throws -> String? {
    let id = try await container.write { store in
        let song = Song()
        store.insert(song)
        return song.objectID
    }
    let frozen = try await container.read { store in
        try id.flatMap { try store.object($0) }?.frozen()
    }
    Task.detached { print(container, frozen as Any) }
    return frozen?.className
}

// What the compiler's regions refuse.

@MainActor
func anotherTaskCannotUseTheStoreOfTheMainActor(_ store: Store) {
    Task.detached { try store.save() }  // refused
}

@MainActor
func anotherTaskCannotUseAnObjectOfTheMainActor(_ song: Song) {
    Task.detached { song.title = "" }  // refused
}

actor Importer {
    func take(_ song: Song) { song.title = "" }
}

@MainActor
func anotherActorCannotTakeAnObject(_ song: Song, _ importer: Importer) async {
    await importer.take(song)  // refused
}

func aListIsNoValue(_ album: Album) {
    let songs = album.songs
    Task.detached { print(songs.count) }  // refused
}
