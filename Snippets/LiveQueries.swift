import Cabinet
import Foundation

final class Song: StoredObject {
    @Field var title = ""
    @Field var artist = ""
    @Field var year = 0
    @Field var plays = 0
}

@MainActor func showSongs(in store: Store, _ table: SongTable) async throws {
    let live = try store.query(Song.self).filter(#Predicate { $0.year > 1960 })
        .sorted(by: \.title).live()
    for try await change in live.changes {
        table.apply(change, change.objects)
    }
}
// snippet.hide

@MainActor protocol SongTable {
    func apply(_ change: LiveChange<Song>, _ songs: LiveList<Song>)
}
// snippet.show
