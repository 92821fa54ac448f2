import CLibrary
import CabinetBackend
import CabinetTokyo
import Testing
import TrustSupport

/// What a follower sees of a writer whose device fails.
struct FollowedFaultTests {
    private let directory = ScratchDirectory()
    private var path: String { directory.file("store") }

    /// At `.full` a frame is whole in the log before its sync; where that fails, the save throws, and
    /// the next one gets its number.
    @Test func aSaveThatThrowsIsNeverSeen() throws {
        let isFailing = Guarded(false)
        let files = FaultyFiles { _, operation, path in
            operation == .sync && path.contains("/log-") && isFailing.withLock { $0 }
                ? .doneButReported(EIO) : nil
        }
        let writer = try TokyoBackend(path: path, files: files)
        var model = FollowedModel(seed: 3)
        for _ in 0..<5 { try commit(&model, to: writer) }
        let follower = try TokyoBackend(path: path, files: SystemFiles(), follows: true)
        for round in 0..<20 {
            isFailing.withLock { $0 = true }
            var lost = FollowedModel(seed: UInt64(100 + round))
            try lost.go(to: CommitNumber(model.commits))
            #expect(throws: BackendError.self) { try commit(&lost, to: writer) }
            isFailing.withLock { $0 = false }
            #expect(try follower.refresh().rawValue == model.commits)
            #expect(try model.difference(in: follower) == nil)
            try commit(&model, to: writer)
            if round % 3 > 0 { try follower.refresh() }
            let other = try TokyoBackend(path: path, files: SystemFiles(), follows: true)
            #expect(try model.difference(in: other) == nil)
            try other.close()
        }
        try follower.refresh()
        #expect(try model.difference(in: follower) == nil)
        try writer.close()
    }

    /// The writer is killed before anything says that its last commit is on the device. A reader that comes then has
    /// it. Once, it took the store for another one while the next writer opened it.
    @Test func aCommitThatWasReadStaysWhileTheNextWriterOpens() throws {
        let program = try #require(BuiltProgram.path("CrashWorker"))
        var model = FollowedModel(seed: RunSetting.seed)
        for _ in 0..<max(RunSetting.repetitions(40), 4) {
            try writeAndDie(&model)
            let follower = try TokyoBackend(path: path, access: .readOnly)
            #expect(try follower.lastCommit().rawValue == model.commits)
            var run = WriterRun(directory: path, seed: RunSetting.seed, durability: .full)
            run.commits = 1
            let next = try run.start(program)
            while try follower.refresh().rawValue == model.commits { usleep(20) }
            next.kill()
            try model.go(to: try follower.lastCommit())
            #expect(try model.difference(in: follower) == nil)
            try follower.close()
        }
    }

    /// The writer that comes after a kill moves what may not be on the device into a segment of its own, and cuts the
    /// one before. Once, that was damage for a walk that was on its way.
    @Test func aWalkGoesOnWhereTheNextWriterMovesCommits() async throws {
        var model = FollowedModel(seed: RunSetting.seed)
        do {
            let files = FaultyFiles()
            let writer = try TokyoBackend(path: path, durability: .process, files: files)
            for _ in 0..<12 { try commit(&model, to: writer) }
            files.replacePlan { _, _, _ in .killed }
        }
        let follower = try TokyoBackend(path: path, files: SystemFiles(), follows: true)
        let cursors = try (0..<8).map { try follower.changes(after: CommitNumber($0)) }
        for cursor in cursors.dropFirst(3) { _ = try cursor.next() }
        let next = try TokyoBackend(path: path, durability: .process, files: SystemFiles())
        for (start, cursor) in cursors.enumerated() {
            var last = CommitNumber(UInt64(start < 3 ? start : start + 1))
            while let changes = try cursor.next() {
                #expect(changes.number == last.next)
                last = changes.number
            }
            #expect(last == 12)
        }
        #expect(try await follower.check().findings == [])
        try next.close()
        try follower.close()
    }

    /// A commit whose writer is killed before it is on the device.
    private func writeAndDie(_ model: inout FollowedModel) throws {
        let files = FaultyFiles()
        let writer = try TokyoBackend(path: path, files: files)
        for _ in 0..<5 { try commit(&model, to: writer) }
        files.replacePlan { _, operation, path in
            operation == .sync && path.contains("/log-") ? .killed : nil
        }
        var last = model
        #expect(throws: BackendError.self) { try commit(&last, to: writer) }
        try model.go(to: CommitNumber(model.commits + 1))
    }

    private func commit(_ model: inout FollowedModel, to backend: TokyoBackend) throws {
        let batch = backend.makeBatch()
        var next = model
        try next.step(batch)
        try backend.commit(batch)
        model = next
    }

    /// A frame whose last bytes are still missing is not there yet, and is no damage.
    @Test func aFollowerWaitsForTheRestOfAFrame() throws {
        let writer = try TokyoBackend(path: path, durability: .process, files: SystemFiles())
        var model = FollowedModel(seed: 5)
        for _ in 0..<6 { try commit(&model, to: writer) }
        let follower = try TokyoBackend(path: path, files: SystemFiles(), follows: true)
        let before = model
        let log = path + "/Journal/log-0000000000000001"
        let files = SystemFiles()
        let old = try bytes(of: log, files)
        try commit(&model, to: writer)
        let new = try bytes(of: log, files)
        try writer.close()
        // The new frame, cut at each place: what follows is what was there before, zeros.
        let file = try files.open(log, for: .writing)
        let first = zip(old, new).enumerated().first { $1.0 != $1.1 }?.offset ?? 0
        let last = (new.lastIndex { $0 != 0 } ?? 0) + 1
        for end in stride(from: first, to: last, by: 7) {
            var torn = Array(new[..<end]) + Array(repeating: 0, count: new.count - end)
            try torn.withUnsafeMutableBytes { try files.write(.init($0), to: file, at: 0) }
            #expect(try follower.refresh().rawValue == before.commits)
        }
        try new.withUnsafeBytes { try files.write($0, to: file, at: 0) }
        #expect(try follower.refresh().rawValue == model.commits)
        #expect(try model.difference(in: follower) == nil)
    }

    private func bytes(of path: String, _ files: SystemFiles) throws -> [UInt8] {
        let file = try files.open(path, for: .reading)
        var bytes = [UInt8](repeating: 0, count: Int(try files.size(of: file)))
        _ = try bytes.withUnsafeMutableBytes { try files.read(file, at: 0, into: $0) }
        return bytes
    }
}
