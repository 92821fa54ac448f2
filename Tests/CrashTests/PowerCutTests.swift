import CabinetBackend
import CabinetTokyo
import Foundation
import Testing
import TrustSupport

struct PowerCutTests {
    private func report(_ tally: PowerCutRun.Tally, _ durability: Durability) {
        print("seed \(RunSetting.seed), \(durability): \(tally.description)")
        #expect(tally.failures.isEmpty, "\(tally.failures.joined(separator: "\n"))")
        #expect(tally.states > 0)
    }

    /// Where there are few enough states, all of them.
    @Test(arguments: [Durability.full, .process], StoreUnderTest.sealings)
    func everyStateOfASmallStoreIsSurvived(_ durability: Durability, isSealed: Bool) async throws {
        let directory = ScratchDirectory()
        let scene = LedgerScene(
            root: directory.path, seed: RunSetting.seed, filling: 40, durability: durability)
        var run = PowerCutRun(seed: RunSetting.seed)
        run.exhaustiveLimit = RunSetting.repetitions(256)
        run.sample = 2
        run.deepEvery = 64
        let tally = try StoreUnderTest.$isSealed.withValue(isSealed) {
            try scene.play([.save(1)])
            return try run.run(scene)
        }
        report(tally, durability)
        #expect(tally.exhaustiveCuts > 20 / RunSetting.share)
    }

    /// Saves, syncs, orderly closes and openings, cut short at every operation; some of the
    /// recoveries are cut short again.
    @Test(arguments: [Durability.full, .process])
    func aCutIsSurvivedAtEveryMomentOfALongerLife(_ durability: Durability) async throws {
        var campaign = PowerCutCampaign(seed: RunSetting.seed, durability: durability)
        campaign.sample = RunSetting.repetitions(3)
        campaign.exhaustiveLimit = RunSetting.repetitions(16)
        // A sample has one state at least.
        campaign.cutsEvery = max(RunSetting.share / 3, 1)
        report(try campaign.run(states: 0), durability)
    }

    /// Compactions between synced and unsynced saves, before and after the store is opened again.
    @Test(arguments: [Durability.full, .process], StoreUnderTest.sealings)
    func aCutDuringACompactionLosesNoSave(_ durability: Durability, isSealed: Bool) async throws {
        let directory = ScratchDirectory()
        let scene = LedgerScene(
            root: directory.path, seed: RunSetting.seed, filling: 40, durability: durability)
        var run = PowerCutRun(seed: RunSetting.seed)
        run.exhaustiveLimit = RunSetting.repetitions(8)
        run.sample = RunSetting.repetitions(3)
        run.cutsEvery = max(RunSetting.share / 3, 1)
        let tally = try StoreUnderTest.$isSealed.withValue(isSealed) {
            try scene.play([
                .save(3), .sync, .compact, .save(1), .reopen, .save(3), .sync, .compact, .save(1),
            ])
            return try run.run(scene, depth: 0)
        }
        report(tally, durability)
        #expect(tally.states > 250 / RunSetting.share)
    }

    /// A disk that is pulled loses what a power cut would lose, but the machine runs on, and may
    /// give it all its numbers again. That was taken for a kill, and what was lost for damage.
    @Test func aPulledDiskIsSurvivedWhereItsNumbersComeAgain() async throws {
        let directory = ScratchDirectory()
        let scene = LedgerScene(
            root: directory.path, seed: RunSetting.seed, filling: 40, durability: .process,
            weakening: { ReusedNumbers($0) })
        try scene.play([.save(4), .sync, .save(4), .reopen, .save(2)])
        var run = PowerCutRun(seed: RunSetting.seed)
        run.exhaustiveLimit = RunSetting.repetitions(16)
        run.sample = RunSetting.repetitions(8)
        run.reboot = { _ in ReusedNumbers(RebootedFiles()) }
        report(try run.run(scene, depth: 0), .process)
    }

    /// The same on a file system that is really mounted, taken away and mounted: every number but
    /// the mount's own comes again.
    @Test(.enabled(if: SmallDisk.isPossible, "No file system may be mounted here."))
    func aDiskThatWasMountedAnewMayHaveLostSaves() throws {
        let files = SystemFiles()
        var disk = SmallDisk(size: 16 << 20)
        var path = try #require(disk?.path)
        let place = try files.mountIdentity(of: path)
        let store = try StoreUnderTest.open(path, durability: .process, files: files)
        var ledger = Ledger(seed: RunSetting.seed, filling: 40)
        for _ in 0..<8 {
            let rows = try store.backend.reserveRows(ledger.rowsNeeded, in: Ledger.entries)
            let changes = ledger.nextSave(rows: rows)
            _ = try store.backend.commit(changes)
            ledger.apply(changes)
        }
        // None of these saves was synced, so the disk may lack the end of the log.
        var image = try DiskImage(readingFrom: path)
        image.files[Self.log]?.truncate(to: try end(ofSave: 6, in: path) + 5)
        try store.backend.close()
        disk = nil
        disk = SmallDisk(size: 16 << 20)
        path = try #require(disk?.path)
        #expect(try files.mountIdentity(of: path).isKnown(toBe: place) == false)
        try image.write(below: path)
        let left = try StoreUnderTest.open(path, durability: .process, files: files)
        let found = try left.backend.readLedger(seed: RunSetting.seed, filling: 40)
        #expect(found.saves == 6)
        #expect(found.disagreement == nil)
        try left.backend.close()
    }

    private static let log = "Journal/log-0000000000000001"

    /// Where the frames of a save end in the first segment.
    private func end(ofSave save: CommitNumber, in root: String) throws -> Int {
        let reader = CommitReader(
            try SegmentReader(
                files: SystemFiles(), path: root + "/" + Self.log, number: 1, store: nil))
        while let item = try reader.next() {
            if case .commit(let commit) = item, commit.number == save { return Int(reader.offset) }
        }
        throw LedgerFailure("the log has no save \(save)")
    }

    /// A save that has thrown is never seen again, unless the disk refused the word that takes it
    /// back; and not then, once the store has saved, synced or closed.
    @Test(arguments: [Durability.full, .process], [false, true])
    func aFailedSaveIsNotSeenAfterACut(_ durability: Durability, lasts: Bool) async throws {
        let faults: [FaultyFiles.Fault] = [.error(EIO), .shortWrite(ENOSPC), .doneButReported(EIO)]
        let next: [LedgerScene.Step] = [.save(1), .reopen, .sync]
        var tally = PowerCutRun.Tally()
        for (number, fault) in faults.enumerated() {
            for operation in 0..<2 {
                let directory = ScratchDirectory()
                let scene = LedgerScene(
                    root: directory.path, seed: RunSetting.seed, filling: 40,
                    durability: durability)
                try scene.play([
                    .save(2),
                    .failingSave(
                        FailingSave(operation: operation, fault: fault, lasts: lasts)),
                    next[(number + operation) % next.count], .save(1),
                ])
                var run = PowerCutRun(seed: RunSetting.seed)
                run.exhaustiveLimit = RunSetting.repetitions(8)
                run.sample = 1
                run.cutsEvery = max(RunSetting.share / 2, 1)
                tally.add(try run.run(scene, depth: 0))
            }
        }
        report(tally, durability)
    }
}
