import Cabinet

@testable import CabinetTestModel

/// What the threads of a schedule save, whichever program they stand for.
protocol ScheduledSong: StoredObject {
    var number: Int { get set }
    var title: String { get set }
    var year: Int { get set }
    var album: StoredObject? { get set }
}

/// A song with ordered indexes and a text index.
final class IndexedTune: StoredObject, ScheduledSong {
    @Field var number = 0
    @Field var title = ""
    @Field var year = 0
    @One var disc: TrackedDisc?
    var album: StoredObject? {
        get { disc }
        set { disc = newValue as? TrackedDisc }
    }

    override class var storageName: String { "Tune" }
    override class var indexes: [Index] {
        [
            .unique(\IndexedTune.number), .ordered(\IndexedTune.title),
            .ordered(\IndexedTune.year, \IndexedTune.title),
        ]
    }
    override class var textIndexes: [TextIndex] { [.text(\IndexedTune.title)] }
}

/// What songs refer to.
final class TrackedDisc: StoredObject {
    @Field var name = ""

    override class var storageName: String { "Disc" }
    override class var tracksReferrers: Bool { true }
}

/// As ``IndexedTune``, of a program that knows no index.
final class PlainTune: StoredObject, ScheduledSong {
    @Field var number = 0
    @Field var title = ""
    @Field var year = 0
    @One var disc: PlainDisc?
    var album: StoredObject? {
        get { disc }
        set { disc = newValue as? PlainDisc }
    }

    override class var storageName: String { "Tune" }
}

/// As ``TrackedDisc``, of a program that tracks no referrers.
final class PlainDisc: StoredObject {
    @Field var name = ""

    override class var storageName: String { "Disc" }
}
