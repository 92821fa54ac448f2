import Cabinet
import Foundation

final class Song: StoredObject {
    @Field var title = ""
    @Field var artist = ""
    @Field var year = 0
    @Field var isrc: String?
    @Field var rating = 0

    override class var indexes: [Index] {
        [
            .ordered(\Song.artist, \Song.year),
            .unique(\Song.isrc),
            .ordered(\Song.title, collation: .caseInsensitive),
            .ordered(\Song.rating, named: "rated", where: { $0.rating > 0 }),
        ]
    }
}

func useIndexes(of store: Store) throws {
    let query = store.query(Song.self)
        .filter(#Predicate { $0.artist == "Coltrane" && $0.year > 1960 })
        .sorted(by: \.year).limit(20)
    print(try query.explain())
    try store.upsert(Song.self, by: \.isrc, "USRC17607839") { song in
        song.title = "So What"
    }
    try store.save()
    try store.indexes.build()
}
