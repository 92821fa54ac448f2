import Cabinet

final class Song: StoredObject {
    @Field var title = ""
    @Field var artist = ""
    @Field var year = 0
    @Field var rating = 0

    static let byArtist = Arrangement.arranged(
        \Song.year, \Song.title, groupedBy: \Song.artist, named: "byArtist")

    override class var arrangements: [Arrangement] {
        [
            byArtist,
            byArtist.filtered(named: "favourites") { (song: Song) in song.rating > 4 },
        ]
    }
}

func showArtists(in store: Store) throws {
    let byArtist = try store.indexes.arrangement(
        "byArtist", of: Song.self, groupedBy: String.self)
    for group in try byArtist.groups() {
        print(group.key, group.count)
        for song in try byArtist.objects(in: group.key, at: 0..<20) { print(song.title) }
    }
}
