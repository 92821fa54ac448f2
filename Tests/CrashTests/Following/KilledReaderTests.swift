import CabinetBackend
import CabinetTokyo
import Testing
import TrustSupport

/// A killed process that followed a store.
struct KilledReaderTests {
    private let directory = ScratchDirectory()
    private let files = SystemFiles()
    private var path: String { directory.file("store") }
    private var temporary: String { directory.file("temporary") }

    /// The directories of views that there are.
    private func views() throws -> [String] {
        try files.list(temporary).flatMap { parent in
            try files.list(temporary + "/" + parent).map { parent + "/" + $0 }
        }
    }

    /// It left a copy of the store's views for good.
    @Test func whatItLeavesIsRemovedByTheNextOpeningOfAnyProcess() throws {
        let program = try #require(BuiltProgram.path("CrashWorker"))
        try files.makeDirectory(temporary)
        let writer = try TokyoBackend(path: path, durability: .process)
        var model = FollowedModel(seed: RunSetting.seed)
        for _ in 0..<5 {
            let batch = writer.makeBatch()
            try model.step(batch)
            try writer.commit(batch)
        }
        let run = ReaderRun(directory: path)
        let living = try run.start(program, temporary: temporary)
        let kept = try views()
        #expect(kept.count == 1)
        for _ in 0..<3 {
            let killed = try run.start(program, temporary: temporary)
            #expect(try views().count == 2)
            #expect(try views().contains(kept[0]))
            killed.sendKill()
            #expect(killed.wait() == .signal(9))
            #expect(try views().count == 2)
        }
        // A store of its own, of which there are no other views.
        try TokyoBackend(path: directory.file("other")).close()
        let other = ReaderRun(directory: directory.file("other"))
        let last = try other.start(program, temporary: temporary)
        #expect(try views() == kept)
        for child in [living, last] {
            child.sendKill()
            _ = child.wait()
        }
    }
}
