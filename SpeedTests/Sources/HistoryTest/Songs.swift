import Cabinet

/// What both forms of a song have.
protocol AnySong: StoredObject {
    var title: String { get set }
    var number: Int { get set }
}

final class Song: StoredObject, AnySong {
    @Field var title = ""
    @Field var number = 0
}

final class IndexedSong: StoredObject, AnySong {
    @Field var title = ""
    @Field var number = 0

    override class var indexes: [Index] { [.ordered(\IndexedSong.number)] }
}

/// As ``Song``, with history.
final class KeptSong: StoredObject, AnySong {
    @Field var title = ""
    @Field var number = 0

    override class var keepsHistory: Bool { true }
}

/// As ``IndexedSong``, with history.
final class KeptIndexedSong: StoredObject, AnySong {
    @Field var title = ""
    @Field var number = 0

    override class var keepsHistory: Bool { true }
    override class var indexes: [Index] { [.ordered(\KeptIndexedSong.number)] }
}

/// Inserts songs numbered from 0 on.
func insert<Song: AnySong>(_ count: Int, of type: Song.Type, into store: Store) {
    for number in 0..<count {
        let song = Song()
        song.title = "Test Song \(number)"
        song.number = number
        store.insert(song)
    }
}
