import CabinetBackend
import CabinetMemory
import CabinetTestSupport
import CabinetTokyo
import Testing

@testable import Cabinet

/// A store deletes what another one comes to refer to meanwhile, by a relationship without another
/// side: whatever the order, no record refers to a row that is gone.
struct DeletingBesideOthersTests {
    enum Engine: CaseIterable { case memory, files }

    /// What the two stores of a test work on: `mine` deletes, `theirs` comes to refer.
    private struct Scene {
        let backend: any Backend
        let directory: TemporaryDirectory
        let mine: Store
        let theirs: Store
        let poster = Poster()
        let wall = Wall()

        init(_ engine: Engine, walls: Int = 0) throws {
            directory = try TemporaryDirectory()
            backend =
                engine == .memory
                ? MemoryBackend()
                : try TokyoBackend(path: directory.path + "/Store", durability: .process)
            let classes: [StoredObject.Type] = [Poster.self, Wall.self, Frame.self, Trigger.self]
            mine = try Store(backend: backend, classes: classes)
            poster.name = "poster"
            mine.insert(poster)
            mine.insert(wall)
            mine.insert(Trigger())
            for _ in 0..<walls { mine.insert(Wall()) }
            try mine.save()
            theirs = try Store(backend: backend, classes: classes)
        }

        /// The other store comes to refer to the poster.
        func refer(from count: Int = 1) throws {
            let target = try #require(try theirs.object(Poster.self, rowID: poster.rowID))
            for wall in try theirs.objects(of: Wall.self).prefix(count) { wall.poster = target }
            try theirs.save()
        }

        /// Has `body` run in the next save of `mine`, after it has seen what others have saved.
        func duringNextSave(_ body: @escaping () throws -> Void) throws {
            let trigger = try #require(try mine.objects(of: Trigger.self).first)
            trigger.pulls += 1
            trigger.body = body
        }

        func expectSound(_ place: SourceLocation = #_sourceLocation) async throws {
            let report = try await StoreSchema.check(backend)
            #expect(report.findings == [], sourceLocation: place)
            let truth = try ReferrerTruth(backend, [Poster.self, Wall.self, Frame.self])
            #expect(truth.isRight, "\(truth.difference)", sourceLocation: place)
        }
    }

    @Test(arguments: Engine.allCases)
    func aReferenceOfOthersForgetsWhatIsDeleted(_ engine: Engine) async throws {
        let scene = try Scene(engine)
        try scene.mine.delete(scene.poster)
        try scene.refer()
        try scene.mine.save()
        #expect(scene.wall.poster == nil)
        try await scene.expectSound()
        try scene.theirs.refresh()
        #expect(try scene.theirs.objects(of: Wall.self).map(\.poster) == [nil])
    }

    @Test(arguments: Engine.allCases)
    func soItDoesWhereTheStoreHasAdvancedBetween(_ engine: Engine) async throws {
        let scene = try Scene(engine)
        try scene.mine.delete(scene.poster)
        try scene.refer()
        try scene.mine.refresh()
        try scene.mine.save()
        try await scene.expectSound()
    }

    @Test(arguments: Engine.allCases)
    func soItDoesWhereBothHaveChangedTheOwner(_ engine: Engine) async throws {
        let scene = try Scene(engine)
        try scene.mine.delete(scene.poster)
        scene.wall.height = 7
        try scene.refer()
        try scene.mine.save(onConflict: .merge)
        #expect(scene.wall.poster == nil && scene.wall.height == 7)
        try await scene.expectSound()
    }

    /// The delete passed by what was not saved yet.
    @Test func aPendingReferenceForgetsWhatIsDeleted() throws {
        let scene = try Scene(.memory)
        scene.wall.poster = scene.poster
        try scene.mine.delete(scene.poster)
        #expect(scene.wall.poster == nil)
    }

    @Test(arguments: Engine.allCases)
    func aReferenceThatComesDuringTheSaveIsSeen(_ engine: Engine) async throws {
        let scene = try Scene(engine)
        try scene.mine.delete(scene.poster)
        try scene.duringNextSave { try scene.refer() }
        try scene.mine.save()
        #expect(scene.wall.poster == nil)
        try await scene.expectSound()
    }

    /// Such a commit reaches the table another way.
    @Test(arguments: Engine.allCases)
    func soAreManyOfThem(_ engine: Engine) async throws {
        let scene = try Scene(engine, walls: 20_000)
        try scene.mine.delete(scene.poster)
        try scene.duringNextSave { try scene.refer(from: 20_000) }
        try scene.mine.save()
        try await scene.expectSound()
    }

    @Test(arguments: Engine.allCases)
    func aSaveInTheBackgroundSeesItToo(_ engine: Engine) async throws {
        let scene = try Scene(engine)
        try scene.mine.delete(scene.poster)
        try scene.duringNextSave { try scene.refer() }
        try await scene.mine.saveInBackground()
        try await scene.expectSound()
    }

    @Test(arguments: Engine.allCases)
    func twoStoresReferToOneObjectWithoutAConflict(_ engine: Engine) async throws {
        let scene = try Scene(engine, walls: 2)
        scene.wall.poster = scene.poster
        try scene.duringNextSave {
            let target = try scene.theirs.object(Poster.self, rowID: scene.poster.rowID)
            try scene.theirs.objects(of: Wall.self).last?.poster = target
            try scene.theirs.save()
        }
        let trigger = try #require(try scene.mine.objects(of: Trigger.self).first)
        try scene.mine.save()
        #expect(trigger.validations == 1)
        try await scene.expectSound()
    }

    @Test(arguments: Engine.allCases)
    func whatWasDeletedAsTheLastReferenceWentIsAConflict(_ engine: Engine) async throws {
        let scene = try Scene(engine)
        let frame = Frame()
        scene.mine.insert(frame)
        frame.posters = [scene.poster]
        try scene.mine.save()
        try scene.theirs.refresh()
        try scene.mine.delete(frame)
        #expect(scene.poster.isDeleted)
        try scene.refer()
        do {
            try scene.mine.save(onConflict: .merge)
            Issue.record("what another store refers to was deleted")
        } catch StoreError.conflict(let conflicts) {
            #expect(conflicts.map(\.className) == ["Poster"])
            #expect(conflicts.map(\.kind) == [.deletedHere])
        }
        #expect(scene.poster.isDeleted && frame.isDeleted && scene.mine.hasChanges)
        try scene.mine.save(onConflict: .theirs)
        #expect(!scene.poster.isDeleted && frame.isDeleted)
        #expect(scene.wall.poster === scene.poster)
        try await scene.expectSound()
    }

    @Test(arguments: Engine.allCases)
    func itMayGoAllTheSame(_ engine: Engine) async throws {
        let scene = try Scene(engine)
        let frame = Frame()
        scene.mine.insert(frame)
        frame.posters = [scene.poster]
        try scene.mine.save()
        try scene.theirs.refresh()
        try scene.mine.delete(frame)
        try scene.refer()
        try scene.mine.save(onConflict: .mine)
        #expect(scene.poster.isDeleted && scene.wall.poster == nil)
        try await scene.expectSound()
    }
}

private typealias Poster = PosterClasses.Poster
private typealias Wall = PosterClasses.Wall
private typealias Frame = PosterClasses.Frame
private typealias Trigger = PosterClasses.Trigger
