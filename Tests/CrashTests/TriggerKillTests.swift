import Cabinet
import Foundation
import Testing
import TrustSupport

/// A trigger after saves, in processes that are killed.
struct TriggerKillTests {
    @Test func whatATriggerSumsUpIsRightAfterKills() async throws {
        let program = try #require(BuiltProgram.path("CrashWorker"))
        let scratch = ScratchDirectory()
        let directory = scratch.file("store")
        var random = SeededRandom(seed: RunSetting.seed)
        for kill in 0..<RunSetting.repetitions(64) {
            let child = try ChildProcess(
                program, SaleRun(directory: directory, seed: random.next()).arguments)
            for _ in 0...random.below(40) {
                let line = try #require(child.nextLine(), "kill \(kill)")
                try #require(line.hasPrefix("A "), "\(line)")
            }
            child.sendKill()
            #expect(child.wait() == .signal(SIGKILL))
        }
        let container = try StoreContainer(
            directory: URL(filePath: directory), classes: SaleRun.classes, durability: .process)
        let store = try container.makeStore()
        let expected = try store.query(Sale.self).sum(\.cents)
        for _ in 0..<12_000 {
            try store.refresh()
            if try store.query(SaleTotal.self).sum(\.cents) == expected { break }
            try await Task.sleep(for: .milliseconds(5))
        }
        #expect(try store.objects(of: SaleTotal.self).map(\.cents) == [expected])
        try store.close()
        try container.close()
    }
}
