import CabinetBackend
import CabinetMemory
import CabinetTestSupport
import CabinetTokyo
import Testing

@testable import Cabinet

/// A store that is alone requires nothing of what it only refers to. If another store is opened, and
/// saves, while the first one fills its commit, no reference dangles all the same.
struct SecondStoreTests {
    private static let classes: [StoredObject.Type] = [
        Poster.self, Wall.self, Frame.self, Fuse.self,
    ]

    private struct Scene {
        let backend: any Backend
        let directory: TemporaryDirectory
        let first: Store
        let poster = Poster()
        let wall = Wall()
        let fuse = Fuse()

        init(_ engine: DeletingBesideOthersTests.Engine) throws {
            directory = try TemporaryDirectory()
            backend =
                engine == .memory
                ? MemoryBackend()
                : try TokyoBackend(path: directory.path + "/Store", durability: .process)
            first = try Store(backend: backend, classes: classes)
            first.insert(poster)
            first.insert(wall)
            try first.save()
        }

        /// Has `body` run with a second store, which saves, while `first` fills its next commit. What
        /// `first` changes afterwards is written behind that.
        func duringNextSave(_ body: @escaping (Store) throws -> Void) {
            first.insert(fuse)
            fuse.body = { [backend] in
                let second = try Store(backend: backend, classes: classes)
                try body(second)
                try second.save()
                try second.close()
            }
        }

        func expectSound(_ place: SourceLocation = #_sourceLocation) async throws {
            if let failure = fuse.failure { throw failure }
            let report = try await StoreSchema.check(backend)
            #expect(report.findings == [], sourceLocation: place)
            let truth = try ReferrerTruth(backend, [Poster.self, Wall.self, Frame.self])
            #expect(truth.isRight, "\(truth.difference)", sourceLocation: place)
        }
    }

    @Test(arguments: DeletingBesideOthersTests.Engine.allCases)
    func aReferenceToWhatItDeletesIsAConflict(
        _ engine: DeletingBesideOthersTests.Engine
    ) async throws {
        let scene = try Scene(engine)
        scene.duringNextSave { second in
            for poster in try second.objects(of: Poster.self) { try second.delete(poster) }
        }
        scene.wall.poster = scene.poster
        #expect(throws: StoreError.self) { try scene.first.save() }
        #expect(try scene.first.objects(of: Wall.self).count == 1)
        try await scene.expectSound()
        try scene.first.save(onConflict: .theirs)
        #expect(scene.poster.isDeleted)
        try scene.first.rollback(scene.wall)
        #expect(scene.wall.poster == nil)
        try await scene.expectSound()
    }

    @Test(arguments: DeletingBesideOthersTests.Engine.allCases)
    func whatItComesToReferToIsForgotten(
        _ engine: DeletingBesideOthersTests.Engine
    ) async throws {
        try await deleteWhatTheSecondRefersTo(engine) { try $0.save() }
    }

    @Test(arguments: DeletingBesideOthersTests.Engine.allCases)
    func aSaveInTheBackgroundBeginsAgainToo(
        _ engine: DeletingBesideOthersTests.Engine
    ) async throws {
        try await deleteWhatTheSecondRefersTo(engine) { try await $0.saveInBackground() }
    }

    private func deleteWhatTheSecondRefersTo(
        _ engine: DeletingBesideOthersTests.Engine, _ save: (Store) async throws -> Void
    ) async throws {
        let scene = try Scene(engine)
        scene.duringNextSave { second in
            let poster = try second.objects(of: Poster.self).first
            for wall in try second.objects(of: Wall.self) { wall.poster = poster }
        }
        try scene.first.delete(scene.poster)
        try await save(scene.first)
        #expect(scene.wall.poster == nil)
        try await scene.expectSound()
    }

    /// A commit that no store has made: the store, alone still, takes it up and saves.
    @Test(arguments: DeletingBesideOthersTests.Engine.allCases)
    func aCommitOfTheBackendIsTakenUp(_ engine: DeletingBesideOthersTests.Engine) throws {
        let scene = try Scene(engine)
        let batch = scene.backend.makeBatch()
        let name: [UInt8] = [97]
        try name.withUnsafeBytes { try batch.put($0, for: $0, in: .namedBuffers) }
        try scene.backend.commit(batch)
        scene.wall.height = 9
        try scene.first.save()
        #expect(try scene.first.basis == scene.backend.lastCommit())
        #expect(
            try Store(backend: scene.backend, classes: Self.classes).objects(of: Wall.self)
                .map(\.height) == [9])
    }
}

private typealias Poster = PosterClasses.Poster
private typealias Wall = PosterClasses.Wall
private typealias Frame = PosterClasses.Frame
private typealias Fuse = PosterClasses.Fuse
