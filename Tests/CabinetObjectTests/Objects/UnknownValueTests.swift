import CabinetMemory
import Testing

@testable import Cabinet
@testable import CabinetTestModel

/// Enums to which a newer program has added cases.
struct UnknownValueTests {
    enum Then {
        enum State: String { case unplayed, played }
        enum Level: Int, Codable { case low, high }

        final class Episode: StoredObject {
            @Field var title = ""
            @Field(unknown: .unplayed) var mode = State.played
            @Field(unknown: .low) var level: Level
            @Field(unknown: nil, was: "mood") var other: State?
            @Field var strict = State.played

            override class var storageName: String { "Episode" }
        }
    }

    enum Now {
        enum State: String { case unplayed, played, archived }
        enum Level: Int, Codable { case low, high, extreme }

        final class Episode: StoredObject {
            @Field var title = ""
            @Field var mode = State.archived
            @Field var level = Level.extreme
            @Field var other: State? = .archived
            @Field var strict = State.played

            override class var storageName: String { "Episode" }
        }
    }

    let bench = SchemaBench()

    /// An episode that the newer program has saved, as the older one reads it.
    func saved(strict: Now.State = .played) throws -> (store: Store, episode: Then.Episode) {
        let newer = try bench.open([Now.Episode.self])
        let episode = Now.Episode()
        (episode.title, episode.strict) = ("a", strict)
        newer.insert(episode)
        try newer.save()
        let store = try bench.open([Then.Episode.self])
        return (store, try #require(try store.object(Then.Episode.self, rowID: episode.rowID)))
    }

    func newer(_ row: RowID) throws -> Now.Episode {
        try #require(try bench.open([Now.Episode.self]).object(Now.Episode.self, rowID: row))
    }

    @Test func anUnknownValueReadsAsTheOneThatIsNamedForIt() throws {
        let episode = try saved().episode
        #expect(episode.mode == .unplayed && episode.level == .low && episode.other == nil)
        #expect(episode.title == "a" && episode.fetchError == nil && !episode.isChanged)
        #expect(Then.Episode().mode == .played && Then.Episode().level == .low)
    }

    @Test func itStaysInTheRecordUntilItsFieldIsSet() throws {
        let (store, episode) = try saved()
        episode.title = "b"
        episode.level = .high
        try store.save()
        #expect(episode.mode == .unplayed)
        var found = try newer(episode.rowID)
        #expect(found.title == "b" && found.mode == .archived && found.level == .high)
        #expect(found.other == .archived)
        // The value that it reads as is another one.
        episode.mode = .unplayed
        #expect(episode.isChanged)
        episode.other = .played
        try store.save()
        found = try newer(episode.rowID)
        #expect(found.mode == .unplayed && found.other == .played)
        #expect(!episode.state.contains(.keepsBytes))
    }

    @Test func undoAndRollbackBringItBack() throws {
        let (store, episode) = try saved()
        store.undoHistory.isEnabled = true
        episode.mode = .played
        episode.title = "b"
        #expect(episode.mode == .played)
        try store.undoHistory.undo()
        try store.undoHistory.undo()
        #expect(episode.mode == .unplayed && episode.title == "a")
        try store.save()
        #expect(try newer(episode.rowID).mode == .archived)
        try store.undoHistory.redo()
        #expect(episode.mode == .played)
        store.rollback()
        #expect(episode.mode == .unplayed)
        episode.mode = .played
        try store.rollback(episode)
        episode.title = "c"
        try store.save()
        #expect(try newer(episode.rowID).mode == .archived)
    }

    @Test func itIsReadFromRecordsOfEarlierLayouts() throws {
        enum Later {
            final class Episode: StoredObject {
                @Field var extra = 1
                @Field(unknown: .unplayed) var mode = Then.State.played

                override class var storageName: String { "Episode" }
                override func upgrade(from record: RawRecord) throws {
                    #expect(try record.value("mode") == "archived")
                    #expect(record.type(of: "mode") == "String")
                }
            }
        }
        let first = try saved()
        let row = first.episode.rowID
        let store = try bench.open([Later.Episode.self])
        let episode = try #require(try store.object(Later.Episode.self, rowID: row))
        #expect(episode.mode == .unplayed)
        episode.extra = 2
        try store.save()
        #expect(try bench.decode("Episode", row)["mode"] == .text("archived"))
    }

    @Test func withoutANamedValueTheRecordCannotBeRead() throws {
        #expect(throws: StoreError.self) { try saved(strict: .archived) }
    }

    @Test func aDeletedObjectAndAClosedStoreKeepWhatItReadAs() throws {
        let (store, episode) = try saved()
        try store.delete(episode)
        #expect(episode.mode == .unplayed)
        store.rollback()
        #expect(episode.mode == .unplayed)
        try store.close()
        #expect(episode.mode == .unplayed && !episode.state.contains(.keepsBytes))
    }
}
