import CabinetBackend
import CabinetTokyo
import Testing
import TrustSupport

@testable import Cabinet
@testable import CabinetTestModel

/// The loss of power while a store keeps history, moves and purges it and compacts its log: what is left can be
/// read as of each commit that it has, and has what the store had then.
struct PastCutTests {
    @Test(arguments: [Durability.full, .process])
    func asOfWhatACutLeavesIsWhatWasThere(_ durability: Durability) async throws {
        let directory = ScratchDirectory()
        let films = FilmedFiles(root: directory.path)
        let known = try await play(directory.path, films, durability)
        var states = CutStates(films.recording(from: DiskImage()), seed: RunSetting.seed) {
            StoreNames.isView($0)
        }
        states.exhaustiveLimit = RunSetting.repetitions(8)
        states.sample = RunSetting.repetitions(2)
        states.cutsEvery = max(RunSetting.share / 2, 1)
        let scratch = ScratchDirectory()
        var judged = 0
        try states.visit { state in
            scratch.clear()
            try state.image.write(below: scratch.path)
            judged += 1
            try judge(scratch.path, state, known, durability)
        }
        #expect(judged > 20)
    }

    /// What is done to the store, by the last commit before it.
    private struct Known {
        /// What the store had as of commits.
        var books: [CommitNumber: [String]] = [:]
        /// As of earlier commits it may not be readable any more: from when a purge was begun.
        var purged: CommitNumber = 0
    }

    /// Not the one of that name that waits.
    private static func compact(_ backend: TokyoBackend) throws { try backend.compact() }

    private func play(
        _ root: String, _ films: FilmedFiles, _ durability: Durability
    ) async throws -> Known {
        var random = SeededRandom(seed: RunSetting.seed, part: 23)
        let backend = try StoreUnderTest.open(root, durability: durability, files: films).backend
        let container = StoreContainer(backend: backend, classes: Books.classes, log: .none)
        let store = try container.makeStore()
        var known = Known()
        for step in 0..<14 {
            for _ in 0...random.below(3) {
                let entries = try store.objects(of: LedgerEntry.self)
                let entry = entries.isEmpty ? nil : entries[random.below(entries.count)]
                switch random.below(4) {
                case 0, 1: store.insert(LedgerEntry("\(step)", cents: random.below(100)))
                case 2: entry?.cents = random.below(100)
                default: if let entry { try store.delete(entry) }
                }
            }
            try store.save()
            known.books[try backend.lastCommit()] = try store.booksAsText()
            switch step {
            case 3, 9: try HistoryMove(backend, partSize: 1 << 8, tableSize: 1 << 9).moveAll()
            case 5: try Self.compact(backend)
            case 11:
                known.purged = try #require(known.books.keys.sorted().dropFirst(5).first)
                try await container.purgeHistory(before: known.purged)
            default: break
            }
            films.note("\(try backend.lastCommit())")
            try films.look()
        }
        try store.close()
        try container.close()
        return known
    }

    private func judge(
        _ root: String, _ state: CutState, _ known: Known, _ durability: Durability
    ) throws {
        let backend = try StoreUnderTest.open(
            root, durability: durability, files: RebootedFiles(boot: 1)
        ).backend
        let container = StoreContainer(backend: backend, classes: Books.classes, log: .none)
        let store = try container.makeStore()
        let last = try backend.lastCommit()
        let noted = state.notes.last.flatMap { UInt64($0) } ?? 0
        #expect(durability == .process || last.rawValue >= noted)
        let look = try PastLook(over: backend, label: "test")
        #expect(look.oldest <= known.purged)
        for (number, books) in known.books where number <= last && number >= look.oldest {
            let past = try container.makeStore(over: look.reader(asOf: .commit(number)))
            let found = try past.booksAsText()
            #expect(found == books, "after operation \(state.operations), as of commit \(number)")
            try past.close()
        }
        try store.close()
        try container.close()
    }
}
