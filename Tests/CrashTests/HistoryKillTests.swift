import CabinetTokyo
import Foundation
import Testing
import TrustSupport

/// History in processes that are killed while they save, move history out of the log and compact.
struct HistoryKillTests {
    @Test func asOfEachCommitAStoreHasWhatItHadAfterKills() throws {
        let program = try #require(BuiltProgram.path("CrashWorker"))
        var random = SeededRandom(seed: RunSetting.seed)
        let kills = RunSetting.repetitions(512)
        var scratch = ScratchDirectory()
        var (seed, known) = (random.next(), 0)
        for kill in 0..<kills {
            if kill % 40 == 0 { (scratch, seed, known) = (ScratchDirectory(), random.next(), 0) }
            var run = PastRun(directory: scratch.file("store"), seed: seed)
            // Opening takes some tens of steps.
            let step = random.below(random.once(in: 3) ? 60 : 400)
            if random.once(in: 2) {
                run.killPoint = [.before(step), .after(step), .within(step)][random.below(3)]
            }
            let child = try ChildProcess(program, run.arguments)
            var left = run.killPoint == nil ? random.below(60) : Int.max
            while let line = child.nextLine() {
                let words = line.split(separator: " ")
                let saves = try #require(words.last.flatMap { Int($0) }, "kill \(kill): \(line)")
                switch words.first {
                // The save in flight may be there.
                case "O": try #require((known...known + 1).contains(saves), "kill \(kill): \(line)")
                case "A": try #require(saves == known + 1, "kill \(kill): \(line)")
                default: try #require(Bool(false), "kill \(kill), seed \(seed): \(line)")
                }
                known = saves
                left -= 1
                if left < 0 { child.sendKill() }
            }
            #expect(child.wait() == .signal(SIGKILL), "kill \(kill)")
        }
    }
}
