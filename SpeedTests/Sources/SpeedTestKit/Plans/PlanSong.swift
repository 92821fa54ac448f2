import Cabinet
import Synchronization

/// A song of which queries ask in every way that planning knows.
///
/// Whether it has indexes is chosen before a store is opened, so that one class stands for the program
/// that has them and for the one that scans.
final class PlanSong: StoredObject {
    @Field var title = ""
    /// Each once, in random order.
    @Field var code: UInt32 = 0
    /// One of 1,000.
    @Field var artist = 0
    /// One of 10, in no index.
    @Field var mood = 0
    /// One of 10.
    @Field var genre = 0
    /// As the rows.
    @Field var number: UInt32 = 0
    @Field var rating: Double?
    @Field var tags: [String] = []
    @One var album: PlanAlbum?

    static let hasIndexes = Mutex(true)

    override class var indexes: [Index] {
        guard hasIndexes.withLock({ $0 }) else { return [] }
        return [
            .ordered(\PlanSong.code), .ordered(\PlanSong.artist, \PlanSong.code),
            .ordered(\PlanSong.genre), .ordered(\PlanSong.number), .ordered(\PlanSong.title),
            .ordered(\PlanSong.rating), .elements(of: \PlanSong.tags), .ordered(\PlanSong.album),
        ]
    }
}

final class PlanAlbum: StoredObject {
    @Field var year = 0
    @Field var name = ""

    override class var indexes: [Index] {
        guard PlanSong.hasIndexes.withLock({ $0 }) else { return [] }
        return [.ordered(\PlanAlbum.year), .ordered(\PlanAlbum.name)]
    }
}
