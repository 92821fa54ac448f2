import CabinetBackend
import CabinetMemory
import CabinetTokyo
import Testing
import TrustSupport

@testable import Cabinet
@testable import CabinetTestModel

/// Random edits in two stores, with merges, deletes that undo takes back, and named buffers: as of each commit
/// a store has what it had then.
struct PastModelTests {
    enum Engine: CaseIterable { case memory, files }

    @Test(arguments: Engine.allCases, RunSetting.seeds(24))
    func asOfACommitAStoreHasWhatItHadThen(_ engine: Engine, _ seed: UInt64) async throws {
        let directory = ScratchDirectory()
        var random = SeededRandom(seed: seed)
        let backend: any Backend =
            engine == .memory
            ? MemoryBackend(changesKept: 2 << 10)
            : try TokyoBackend(path: directory.file("Store"), durability: .process)
        let container = StoreContainer(backend: backend, classes: Books.classes)
        let stores = [try container.makeStore(), try container.makeStore()]
        for store in stores { store.undoHistory.isEnabled = true }
        var known: [CommitNumber: [String]] = [:]
        let start = try backend.lastCommit()
        known[try backend.lastCommit()] = try await container.read { try $0.booksAsText() }
        for step in 0..<60 {
            let store = stores[random.below(2)]
            for _ in 0...random.below(4) { try edit(store, &random) }
            do { try store.save(onConflict: .merge) } catch { store.rollback() }
            known[try backend.lastCommit()] = try await container.read { try $0.booksAsText() }
            if random.once(in: 20) { try Self.compact(backend) }
            if random.once(in: 15) {
                // The worker would only do so after many more bytes.
                try HistoryMove(backend, partSize: 1 << 10, tableSize: 1 << 12).moveAll()
                try Self.compact(backend)
                let oldest = try PastLook(over: backend, label: "test").oldest
                #expect(oldest <= start)
            }
            guard random.once(in: 10) else { continue }
            for number in known.keys.sorted() where random.once(in: 4) {
                let past = try await container.read(asOf: number) { try $0.booksAsText() }
                try #require(past == known[number], "seed \(seed), step \(step), commit \(number)")
            }
        }
        for number in known.keys.sorted() {
            let past = try await container.read(asOf: number) { try $0.booksAsText() }
            try #require(past == known[number], "seed \(seed), commit \(number)")
        }
        #expect(known.count > 20)
        try await checkEvents(of: container)
        try container.close()
    }

    /// The history of each object is what the history of its class has of it.
    private func checkEvents(of container: StoreContainer) async throws {
        var events: [ObjectID<LedgerEntry>: [ObjectEvent<LedgerEntry>]] = [:]
        for try await event in container.history(of: LedgerEntry.self) {
            events[event.id, default: []].append(event)
        }
        #expect(!events.isEmpty)
        for (id, all) in events { #expect(try container.history(of: id) == all) }
    }

    private static func compact(_ backend: any Backend) throws {
        try (backend as? TokyoBackend)?.compact()
    }

    private func edit(_ store: Store, _ random: inout SeededRandom) throws {
        let entries = try store.objects(of: LedgerEntry.self)
        let accounts = try store.objects(of: LedgerAccount.self)
        let entry = entries.isEmpty ? nil : entries[random.below(entries.count)]
        let account = accounts.isEmpty ? nil : accounts[random.below(accounts.count)]
        switch random.below(12) {
        case 0...2:
            store.insert(
                LedgerEntry("\(random.below(100))", cents: random.below(1000), in: account))
        case 3: store.insert(LedgerAccount("\(random.below(100))"))
        case 4: entry?.cents = random.below(1000)
        case 5: entry?.account = random.once(in: 4) ? nil : account
        case 6: if let account { account.entries.reverse() }
        case 7: if let entry { try store.delete(entry) }
        case 8: if let account, random.once(in: 3) { try store.delete(account) }
        case 9: _ = try? store.undoHistory.undo()
        case 10: _ = try? store.undoHistory.redo()
        default:
            let buffer = DataBuffer()
            buffer.writeInt(random.below(100))
            store.namedBuffers["\(random.below(3))"] = random.once(in: 3) ? nil : buffer
        }
    }
}
