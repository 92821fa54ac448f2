import CLibrary
import CabinetBackend
import CabinetTokyo
import Testing
import TrustSupport

/// A follower whose own files fail while it takes up what another process has saved.
struct RefreshFaultTests {
    /// What was done since the follower was opened.
    enum Scene: String, CaseIterable, Sendable {
        /// A few saves.
        case saves
        /// Saves, and a compaction of which the follower has read none.
        case compaction
        /// The first saves since the follower reads the views where they are.
        case firstWriter
    }

    struct Trial: Sendable {
        var scene: Scene
        var fault: FaultyFiles.Fault
        /// Whether all operations fail from the one on, until reading is over.
        var lasts: Bool

        static let all = Scene.allCases.flatMap { scene in
            [FaultyFiles.Fault.error(EIO), .shortWrite(ENOSPC), .error(EMFILE)].flatMap { fault in
                [false, true].map { Trial(scene: scene, fault: fault, lasts: $0) }
            }
        }
    }

    /// All views were given up first: no table could be read after a failure.
    @Test(arguments: Trial.all)
    func aRefreshThatFailsKeepsTheFormerCommit(_ trial: Trial) async throws {
        var random = SeededRandom(seed: RunSetting.seed, part: trial.scene == .saves ? 1 : 2)
        var operation = random.below(3)
        var failures = 0
        while try await fail(at: operation, trial, &failures) {
            operation += 1 + random.below(5) * RunSetting.share
        }
        #expect(failures > 3 / RunSetting.share)
    }

    /// - Returns: whether the follower came to that operation.
    private func fail(
        at operation: Int, _ trial: Trial, _ failures: inout Int
    ) async throws -> Bool {
        let directory = ScratchDirectory()
        let path = directory.file("store")
        let files = FaultyFiles()
        let (follower, end) = try await scene(trial.scene, path, files)
        let (fault, lasts) = (trial.fault, trial.lasts)
        files.replacePlan { index, _, _ in
            index == operation || (lasts && index > operation) ? fault : nil
        }
        do {
            try follower.refresh()
        } catch {
            failures += 1
            #expect(FaultRun.isExpected(error), "operation \(operation): \(error)")
        }
        let isReached = files.count > operation
        if !lasts { files.replacePlan(nil) }
        var model = FollowedModel(seed: RunSetting.seed)
        do {
            try model.go(to: try follower.lastCommit())
            #expect(try model.difference(in: follower) == nil, "operation \(operation)")
        } catch let error as BackendError where lasts {
            #expect(FaultRun.isExpected(error), "operation \(operation): \(error)")
        }
        files.replacePlan(nil)
        #expect(try follower.refresh() == end)
        try model.go(to: end)
        #expect(try model.difference(in: follower) == nil, "operation \(operation)")
        try follower.close()
        return isReached
    }

    /// Opens a follower, and then has a writer do what the scene says. Returns the last commit, too.
    private func scene(
        _ scene: Scene, _ path: String, _ files: FaultyFiles
    ) async throws -> (TokyoBackend, CommitNumber) {
        guard scene != .firstWriter else {
            try write(path, commits: 5)
            let follower = try TokyoBackend(path: path, access: .readOnly, files: files)
            try write(path, commits: 4)
            return (follower, 9)
        }
        let writer = try TokyoBackend(path: path, durability: .process, files: SystemFiles())
        var model = FollowedModel(seed: RunSetting.seed)
        try commit(5, &model, to: writer)
        let follower = try TokyoBackend(path: path, files: files, follows: true)
        try commit(4, &model, to: writer)
        if scene == .compaction { try await writer.compact() }
        try writer.close()
        return (follower, 9)
    }

    private func commit(
        _ count: Int, _ model: inout FollowedModel, to backend: TokyoBackend
    ) throws {
        for _ in 0..<count {
            let batch = backend.makeBatch()
            try model.step(batch)
            try backend.commit(batch)
        }
    }

    /// In a process of its own: here the follower has the directory.
    private func write(_ path: String, commits: Int) throws {
        var run = WriterRun(directory: path, seed: RunSetting.seed, durability: .process)
        run.commits = commits
        run.closes = true
        let writer = try run.start(try #require(BuiltProgram.path("CrashWorker")))
        writer.finish()
        _ = writer.child.wait()
    }
}
