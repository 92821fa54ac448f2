import Testing
import TrustSupport

/// A child has a copy of every store that its parent has open, and the same open files.
struct ForkTests {
    /// A child's save was acknowledged and overwritten by the parent's next one; its close lifted
    /// the parent's lock; and to drop a store there wrote to the parent's files.
    @Test(arguments: ForkDeed.allCases)
    func whatAForkedProcessTriesFailsAndTheParentLosesNothing(_ deed: ForkDeed) throws {
        let program = try #require(BuiltProgram.path("CrashWorker"))
        let directory = ScratchDirectory()
        let run = ForkRun(directory: directory.path, seed: RunSetting.seed, deed: deed)
        let child = try ChildProcess(program, run.arguments)
        var lines: [String] = []
        while let line = child.nextLine() { lines.append(line) }
        #expect(child.wait() == .exit(0), "\(lines.joined(separator: "\n"))")
        #expect(lines == ["S 8"])
    }
}
