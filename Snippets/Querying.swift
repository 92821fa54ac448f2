import Cabinet
import Foundation

final class Song: StoredObject {
    @Field var title = ""
    @Field var artist = ""
    @Field var year = 0
    @Field var seconds = 0
}

func find(in store: Store) throws {
    let query = ObjectQuery<Song>(
        where: #Predicate { $0.artist == "Coltrane" && $0.year > 1960 },
        sortedBy: [SortDescriptor(\.title)], limit: 20)
    for song in try store.fetch(query) { print(song.title, song.year) }
    print(try store.explain(query))
    print(try store.count(of: Song.self, where: #Predicate { $0.seconds > 600 }))
    print(try store.sum(\Song.seconds, where: #Predicate { $0.artist == "Coltrane" }))
    for song in try store.fetch(Song.self, "year < ? ORDER BY title DESC LIMIT 5", 1960) {
        print(song.title)
    }
}
