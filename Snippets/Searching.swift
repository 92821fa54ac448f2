import Cabinet
import Foundation

final class Song: StoredObject {
    @Field var title = ""
    @Field var lyrics = ""
    @Field var year = 0

    override class var textIndexes: [TextIndex] {
        [.text(\Song.title), .text(\Song.lyrics, tokenizer: .words(language: "en"))]
    }
}

func search(in store: Store) throws {
    for song in try store.search(Song.self, "choice", in: \.title).objects { print(song.title) }
    let late = store.query(Song.self).filter(#Predicate { $0.year > 1960 }).limit(20)
    let hits = try late.search(#""blue train" OR col* NOT live"#, weights: ["title": 3])
    print(hits.totalCount, hits.plan)
    for hit in hits {
        print(hit.score, hit.object.title, hit.snippet(in: \.lyrics).text)
    }
    let typed = try store.search(Song.self, SearchQuery(typed: "beetho symf"), limit: 20)
    print(typed.map(\.object.title))
    let byTitle = try late.matching(SearchQuery("blue train")).sorted(by: \.title)
    print(try byTitle.objects().map(\.title))
}
