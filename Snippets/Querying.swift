import Cabinet
import Foundation

final class Song: StoredObject {
    @Field var title = ""
    @Field var artist = ""
    @Field var year = 0
    @Field var seconds = 0
}

func find(in store: Store) throws {
    let modern = ObjectQuery<Song>()
        .filter(#Predicate { $0.artist == "Coltrane" && $0.year > 1960 })
        .sorted(by: \.title).limit(20)
    for song in try store.fetch(modern) { print(song.title, song.year) }
    print(try store.query(modern).explain())
    let long = store.query(Song.self).filter(#Predicate { $0.seconds > 600 })
    print(try long.count(), try long.sum(\.seconds))
    let early = try store.query(Song.self).filter(text: "year < ? ORDER BY title DESC", 1960)
    for song in try early.limit(5).objects() { print(song.title) }
}

func sumUp(_ store: Store) throws {
    let songs = store.query(Song.self)
    for (artist, (count, seconds)) in try songs.groups(by: \.artist, .count, .sum(\.seconds)) {
        print(artist, count, seconds)
    }
    print(try songs.explainGroups(by: \.artist, .count))
    print(try songs.distinctValues(of: \.year), try songs.maximum(\.year) ?? 0)
}

func readOn(in store: Store, behind text: String?) throws -> String? {
    let songs = store.query(Song.self).sorted(by: .ascending(\.artist), .ascending(\.title))
    let page = try songs.page(after: text.flatMap { PageToken($0) }, limit: 50)
    for song in page.objects { print(song.artist, song.title) }
    return page.next?.description
}
