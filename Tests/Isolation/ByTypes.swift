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

// What the types of the container's calls refuse.

func anObjectIsNoResultOfAWrite(_ container: StoreContainer) async throws {
    _ = try await container.write { store -> Song? in  // refused
        try store.objects(of: Song.self).first
    }
}

func aStoreIsNoResultOfARead(_ container: StoreContainer) async throws {
    _ = try await container.read { store in store }  // refused
}

func aWriteCannotUseAnObjectFromOutside(_ container: StoreContainer, _ song: Song) async throws {
    try await container.write { _ in song.title = "" }  // refused
}
