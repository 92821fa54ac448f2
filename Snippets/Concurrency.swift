import Cabinet
import Foundation

final class Song: StoredObject {
    @Field var title = ""
    @Field var plays = 0
}

func play(_ directory: URL) async throws {
    let container = try StoreContainer(directory: directory, classes: [Song.self])
    let id = try await container.write { store in
        let song = Song()
        song.title = "Echoes"
        store.insert(song)
        try store.save()  // gives the song its ID
        return song.objectID
    }
    let titles = try await container.read { store in
        try store.objects(of: Song.self).map(\.title)
    }
    print(titles, id?.description ?? "")
    try container.close()
}

// snippet.hide
func rename(_ song: Song, to title: String, in store: Store) throws {
    song.title = title
    do {
        try store.save()
    } catch StoreError.conflict(let conflicts) {
        for conflict in conflicts { print(conflict) }
        try store.save(onConflict: .merge)
    }
}

func decide(in store: Store) throws {
    try store.save(
        onConflict: .resolve { conflict in
            // The title of this store, the rest merged.
            conflict.className == "Song" ? .fields(["title": .mine]) : .merge
        })
}

func follow(_ container: StoreContainer) async throws {
    for try await commit in container.commits {
        let songs = commit.rows?["Song"]?.written.count ?? 0
        print("Commit \(commit.number) by \(commit.author ?? "?") wrote \(songs) songs.")
    }
}
// snippet.show
