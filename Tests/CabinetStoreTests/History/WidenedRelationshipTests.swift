import Cabinet
import CabinetTestSupport
import CabinetTokyo
import Testing

/// History over a commit before which a relationship to one has become one to many.
struct WidenedRelationshipTests {
    private final class Singer: StoredObject {
        override class var storageName: String { "Widened_Singer" }
    }

    private final class FormerTrack: StoredObject {
        @Field var name = ""
        @One var artist: Singer?
        override class var storageName: String { "Widened_Track" }
        override class var keepsHistory: Bool { true }
    }

    private final class Track: StoredObject {
        @Field var name = ""
        @Many(was: "artist") var artists: [Singer]
        override class var storageName: String { "Widened_Track" }
        override class var keepsHistory: Bool { true }
    }

    @Test(arguments: [false, true])
    func theSameTargetIsNoChange(hasTarget: Bool) throws {
        let directory = try TemporaryDirectory()
        func open(_ classes: [StoredObject.Type]) throws -> StoreContainer {
            StoreContainer(
                backend: try TokyoBackend(path: directory.path, durability: .process),
                classes: classes)
        }
        let before = try open([Singer.self, FormerTrack.self])
        let former = try before.makeStore()
        let object = FormerTrack()
        if hasTarget { object.artist = Singer() }
        former.insert(object)
        try former.save()
        try former.close()
        try before.close()

        let container = try open([Singer.self, Track.self])
        let store = try container.makeStore()
        let track = try #require(try store.objects(of: Track.self).first)
        track.name = "b"
        try store.save()
        track.artists.append(Singer())
        try store.save()
        let changes = try container.history(of: track).compactMap { event -> [String]? in
            guard case .changed(let fields) = event.kind else { return nil }
            return fields.map(\.name)
        }
        #expect(changes == [["name"], ["artists"]])
        try store.close()
        try container.close()
    }
}
