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

func sumUp(_ store: Store) throws {
    for (artist, (songs, seconds)) in try store.groups(
        Song.self, by: \.artist, .count, .sum(\.seconds))
    {
        print(artist, songs, seconds)
    }
    print(try store.explainGroups(Song.self, by: \.artist, .count))
    print(try store.distinctValues(of: \Song.year), try store.maximum(\Song.year) ?? 0)
}

func readOn(in store: Store, behind text: String?) throws -> String? {
    let query = ObjectQuery<Song>(sortedBy: [.ascending(\.artist), .ascending(\.title)])
    let page = try store.fetch(query, after: text.flatMap { PageToken($0) }, limit: 50)
    for song in page.objects { print(song.artist, song.title) }
    return page.next?.description
}
