import CabinetBackend
import CabinetMemory
import CabinetTestSupport
import CabinetTokyo
import Testing
import TrustSupport

@testable import Cabinet

/// Stores that change one graph side by side, in all orders that seeds give.
struct InterleavingTests {
    /// How many seeds there are: `INTERLEAVE_ROUNDS` for a longer run (`make interleave`).
    private static let rounds = UInt64(
        RunSetting.number("INTERLEAVE_ROUNDS") ?? RunSetting.repetitions(2000))
    private static let first = RunSetting.seeds(1).lowerBound
    /// One seed alone, for finding out why it fails: `INTERLEAVE_SEED`.
    private static let only = RunSetting.number("INTERLEAVE_SEED").map(UInt64.init)
    /// A test for so many seeds: each of its own would take longer than its seed.
    private static let share: UInt64 = 50

    /// The seeds of one part.
    private func seeds(_ part: UInt64) -> [UInt64] {
        if let only = Self.only { return part == 0 ? [only] : [] }
        let end = min((part + 1) * Self.share, Self.rounds)
        return (part * Self.share..<end).map { Self.first + $0 }
    }

    @Test(arguments: 0..<(rounds + share - 1) / share)
    func noUpdateIsLostWhateverTheOrderOfSaves(_ part: UInt64) async throws {
        for seed in seeds(part) {
            try await run(MemoryBackend(), seed)
        }
    }

    /// Here stores catch up amid their edits, which the model above does not know.
    @Test(arguments: 0..<(rounds + share - 1) / share)
    func bothSidesAgreeAfterEverySaveByEveryPolicy(_ part: UInt64) async throws {
        var (merges, keptClaims, undos, refusals) = (0, 0, 0, 0)
        for seed in seeds(part) {
            var stores = try ClubStores(MemoryBackend(), seed: seed, recording: seed % 4 < 2)
            try await stores.run(28)
            merges += stores.merges
            keptClaims += stores.keptClaims
            undos += stores.undos
            refusals += stores.refusals
        }
        guard Self.only == nil, part < Self.rounds / Self.share else { return }
        #expect(merges > 200)
        #expect(keptClaims > 0)
        #expect(undos > refusals)
    }

    @Test(arguments: 0..<max(rounds / 200, 1))
    func noUpdateIsLostInFiles(_ part: UInt64) async throws {
        for seed in part * 4 + 1...(part + 1) * 4 {
            let directory = try TemporaryDirectory()
            let backend = try TokyoBackend(path: directory.path + "/Store", durability: .process)
            try await run(backend, Self.first + 1_000_000 + seed)
            #expect(try await backend.check().isSound)
            try backend.close()
        }
    }

    /// Every 100th seed gives a long history, the others short ones, of which many are needed for the
    /// orders of a few steps. Half of them take steps back.
    private func run(_ backend: any Backend, _ seed: UInt64) async throws {
        let isLong = seed % 100 == 0
        var stores = try InterleavedStores(backend, seed: seed, recording: seed % 4 < 2)
        for _ in 0..<(isLong ? 400 : 15) { try stores.step() }
        if isLong { #expect(stores.merges > 0) }
        if isLong || seed % 4 == 0 {
            let report = try await StoreSchema.check(backend)
            #expect(report.findings == [], "seed \(seed)")
        }
        stores.end()
    }
}
