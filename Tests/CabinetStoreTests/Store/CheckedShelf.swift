@testable import Cabinet
@testable import CabinetTestModel

/// What is checked: a store of classes of all kinds, which outlives its closing.
struct CheckedShelf {
    let bench = SchemaBench()

    static let classes: [StoredObject.Type] =
        tunes + [Song.self, Playlist.self, Node.self, Person.self]

    func open() throws -> Store { try bench.open(Self.classes) }

    /// Declared classes with an inverse, and hand-written ones, one of which tracks its referrers.
    func fill() throws {
        let store = try open()
        let (one, two, list, disc) = (Tune("One"), Tune("Two"), TuneList(), Disc())
        (list.tunes, disc.tracks) = ([one, two, one], [two])
        let (song, node) = (Song("x"), Node("child"))
        let others = [Playlist("a", [song, song]), Person("Ann", things: [song, node])]
        for object in [one, two, list, disc, song, node, Node("parent", [node])] + others {
            store.insert(object)
        }
        try store.save()
    }
}
