import CabinetBackend
import CabinetTokyo
import Testing
import TrustSupport

/// A process reads a store while another writes it.
struct FollowerTests {
    private let directory = ScratchDirectory()
    private var path: String { directory.file("store") }

    private func writer(
        _ durability: Durability, _ change: (inout WriterRun) -> Void = { _ in }
    ) throws -> WriterProcess {
        let program = try #require(BuiltProgram.path("CrashWorker"))
        var run = WriterRun(directory: path, seed: RunSetting.seed, durability: durability)
        change(&run)
        return try run.start(program)
    }

    private func follower() throws -> TokyoBackend {
        let follower = try TokyoBackend(path: path, access: .readOnly)
        #expect(follower.hasOtherWriters)
        return follower
    }

    private func compare(
        _ follower: any BackendReader, _ model: inout FollowedModel
    ) throws {
        try model.go(to: try follower.lastCommit())
        let difference = try model.difference(in: follower)
        #expect(difference == nil, "\(difference ?? "") (seed \(RunSetting.seed))")
    }

    /// Each commit that the writer has acknowledged, and only whole ones, while it goes on and
    /// compacts; and a frozen reader does not see those that come later.
    @Test(arguments: [Durability.full, .process])
    func aFollowerSeesEveryAcknowledgedCommitAndOnlyWholeOnes(_ durability: Durability) throws {
        let writer = try writer(durability) { $0.compactEvery = 60 }
        while writer.acknowledged < 20 { try #require(writer.next()) }
        let follower = try follower()
        var model = FollowedModel(seed: RunSetting.seed)
        var frozen: (reader: any BackendReader, model: FollowedModel)?
        for round in 0..<RunSetting.repetitions(60) {
            for _ in 0..<(round % 5) { try #require(writer.next()) }
            let before = try follower.lastCommit()
            let number = try follower.refresh()
            #expect(number >= before && number.rawValue >= writer.acknowledged)
            try compare(follower, &model)
            if round % 10 == 0 {
                frozen = (try follower.snapshot(), model)
            } else if let frozen, round % 10 == 9 {
                do throws(BackendError) {
                    #expect(try frozen.reader.lastCommit().rawValue == frozen.model.commits)
                } catch {
                    guard case .snapshotTooOld = error else { throw error }
                    continue
                }
                let difference = try frozen.model.difference(in: frozen.reader)
                #expect(difference == nil, "frozen: \(difference ?? "")")
            }
        }
        writer.kill()
        try follower.close()
    }

    /// Nothing refreshes it: the follower looks by itself, as long as there is a subscriber.
    @Test(.timeLimit(.minutes(2)))
    func aSubscriberHearsOfEachCommit() async throws {
        let writer = try writer(.process)
        while writer.acknowledged < 3 { try #require(writer.next()) }
        let follower = try follower()
        var last = try follower.lastCommit()
        let (commits, heard) = AsyncStream.makeStream(of: CommitNumber.self)
        let subscription = follower.onCommit { heard.yield($0) }
        try #require(writer.next())
        var wanted = CommitNumber(UInt64(writer.acknowledged))
        for await commit in commits {
            #expect(commit > last)
            last = commit
            guard commit >= wanted else { continue }
            if commit.rawValue > 8 { break }
            try #require(writer.next())
            wanted = CommitNumber(UInt64(writer.acknowledged))
        }
        subscription.cancel()
        writer.kill()
        try follower.close()
    }

    @Test(arguments: [Durability.full, .process])
    func aFollowerOutlivesItsWritersAndFollowsTheNext(_ durability: Durability) throws {
        var writer = try writer(durability)
        while writer.acknowledged < 5 { try #require(writer.next()) }
        let follower = try follower()
        var model = FollowedModel(seed: RunSetting.seed)
        var random = SeededRandom(seed: RunSetting.seed, part: 7)
        for round in 0..<RunSetting.repetitions(9) {
            for _ in 0..<random.below(40) { try #require(writer.next()) }
            if round % 3 == 0 { try follower.refresh() }
            writer.kill()
            let found = contents()
            try follower.refresh()
            try compare(follower, &model)
            #expect(contents() == found, "a follower changed the directory")
            writer = try self.writer(durability) { $0.compactEvery = round % 2 == 0 ? 0 : 25 }
            try #require(writer.next())
            #expect(writer.acknowledged >= model.commits, "a commit that was seen is gone")
            try follower.refresh()
            try compare(follower, &model)
        }
        writer.kill()
    }

    /// The names and sizes of all files in the store's directory.
    private func contents() -> [String: UInt64] {
        var found: [String: UInt64] = [:]
        let files = SystemFiles()
        for folder in [path, path + "/Journal"] {
            for name in (try? files.list(folder)) ?? [] {
                found[folder + name] = (try? files.status(of: folder + "/" + name))??.size ?? 0
            }
        }
        return found
    }

    @Test func commitsThatWereCompactedUnreadAreTakenFromTheSnapshot() throws {
        var writer = try writer(.process) { $0.commits = 30 }
        writer.finish()
        let follower = try follower()
        var model = FollowedModel(seed: RunSetting.seed)
        try compare(follower, &model)
        let frozen = try follower.snapshot()
        writer.kill()
        writer = try self.writer(.process) {
            $0.commits = 50
            $0.compactEvery = 50
        }
        writer.finish()
        #expect(try follower.refresh().rawValue == 80)
        try compare(follower, &model)
        #expect(throws: BackendError.self) { try frozen.count(of: FollowedModel.left) }
        #expect(throws: BackendError.self) { try follower.changes(after: 30).next() }
        writer.kill()
    }

    @Test func aStoreThatWasNeverSavedIsFollowedFromItsFirstCommit() throws {
        try TokyoBackend(path: path).close()
        let first = try TokyoBackend(path: path, files: SystemFiles())
        let follower = try TokyoBackend(path: path, files: SystemFiles(), follows: true)
        var model = FollowedModel(seed: RunSetting.seed)
        #expect(try follower.refresh() == 0)
        let frozen = try follower.snapshot()
        try compare(follower, &model)
        var written = model
        for _ in 0..<150 {
            let batch = first.makeBatch()
            try written.step(batch)
            try first.commit(batch)
            try follower.refresh()
            try compare(follower, &model)
        }
        #expect(follower.identity == first.identity)
        #expect(try frozen.tables().isEmpty)
        try first.close()
        try follower.refresh()
        try compare(follower, &model)
    }

    /// Whether the store was closed or its writer killed: a reader that came first keeps no writer
    /// from beginning, and reads on what it read.
    @Test(arguments: [true, false])
    func aReaderThatCameFirstKeepsNoWriterAwayAndFollowsIt(_ closes: Bool) throws {
        var model = FollowedModel(seed: RunSetting.seed)
        for round in 0..<max(RunSetting.repetitions(4), 2) {
            var writer = try writer(.process) {
                $0.commits = 45
                $0.closes = closes
            }
            writer.finish()
            if closes { _ = writer.child.wait() } else { writer.kill() }
            let follower = try TokyoBackend(path: path, access: .readOnly)
            try compare(follower, &model)
            writer = try self.writer(.process) { $0.compactEvery = round % 2 == 0 ? 0 : 30 }
            for _ in 0..<50 { try #require(writer.next()) }
            // It has changed every table meanwhile.
            try compare(follower, &model)
            #expect(throws: BackendError.self) { try TokyoBackend(path: path) }
            #expect(try follower.refresh().rawValue >= writer.acknowledged)
            try compare(follower, &model)
            for _ in 0..<20 { try #require(writer.next()) }
            try follower.refresh()
            try compare(follower, &model)
            try follower.close()
            #expect(throws: BackendError.self) { try TokyoBackend(path: path) }
            let other = try TokyoBackend(path: path, access: .readOnly)
            try compare(other, &model)
            writer.kill()
            try other.close()
        }
    }

    @Test func twoProcessesThatWriteExcludeEachOther() throws {
        let writer = try writer(.process) { $0.commits = 3 }
        writer.finish()
        do throws(BackendError) {
            _ = try TokyoBackend(path: path)
            Issue.record("a second writer")
        } catch {
            guard case .busy(_, let holder) = error else { throw error }
            #expect(holder.hasPrefix("process \(writer.child.process) "))
        }
        let follower = try follower()
        #expect(throws: BackendError.readOnly(path: path)) {
            let batch = follower.makeBatch()
            var model = FollowedModel(seed: 1)
            try model.step(batch)
            try follower.commit(batch)
        }
        writer.kill()
        // A follower keeps no writer away.
        let next = try TokyoBackend(path: path)
        #expect(try next.lastCommit() == 3 && follower.refresh() == 3)
        try next.close()
    }
}
