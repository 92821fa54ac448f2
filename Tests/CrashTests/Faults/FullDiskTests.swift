import Testing
import TrustSupport

/// On a real disk that is really full.
@Suite(.enabled(if: SmallDisk.isPossible, "No file system may be mounted here."))
struct FullDiskTests {
    /// Small values fill the disk by the log; large ones by the files that are mapped, too.
    @Test(arguments: [40, 2000, 60_000])
    func aFullDiskFailsTheSaveAndNothingElse(filling: Int) throws {
        let program = try #require(BuiltProgram.path("CrashWorker"))
        let disk = try #require(SmallDisk(size: 10 << 20))
        let run = FillRun(
            directory: disk.path, seed: RunSetting.seed, filling: filling, ballast: 3 << 20)
        let child = try ChildProcess(program, run.arguments)
        var lines: [String] = []
        while let line = child.nextLine() { lines.append(line) }
        #expect(child.wait() == .exit(0), "\(lines.joined(separator: "\n"))")
        #expect(lines == ["F 3"])
    }
}
