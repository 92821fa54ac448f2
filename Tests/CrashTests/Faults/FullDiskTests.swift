import CabinetBackend
import CabinetTokyo
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

    /// A disk that has bytes left, but no inodes: the error spoke of 0 bytes.
    @Test func aLackOfInodesFailsTheSaveAndSaysSo() throws {
        let disk = try #require(SmallDisk(size: 16 << 20, inodes: 9))
        let files = SystemFiles()
        // With the disk's own directory, the store's, its log, lock and log: all nine.
        for number in 0..<4 {
            _ = try files.open(disk.path + "/file\(number)", for: .creating)
        }
        let root = disk.path + "/store"
        let store = try StoreUnderTest.open(root, durability: .full, files: files)
        let ledger = Ledger(seed: RunSetting.seed, filling: 40)
        let rows = try store.backend.reserveRows(ledger.rowsNeeded, in: Ledger.entries)
        let changes = ledger.nextSave(rows: rows)
        let error = #expect(throws: BackendError.self) {
            _ = try store.backend.commit(changes)
        }
        guard case .diskFull(_, 0)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(error?.description.contains("inodes") == true)
        // Closing makes a file, too.
        for number in 0..<4 { try files.remove(disk.path + "/file\(number)") }
        try store.backend.close()
        let again = try StoreUnderTest.open(root, durability: .full, files: files)
        #expect(try again.backend.tables().isEmpty)
        try again.backend.close()
    }
}
