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
    @Test(arguments: HistoryEngine.present, RunSetting.seeds(24))
    func asOfACommitAStoreHasWhatItHadThen(_ engine: HistoryEngine, _ seed: UInt64) async throws {
        let directory = ScratchDirectory()
        var random = SeededRandom(seed: seed)
        var place = engine.place(in: directory)
        var backend = try engine.open(place, changesKept: 2 << 10)
        var container = StoreContainer(backend: backend, classes: Books.classes, log: .none)
        func makeStores() throws -> [Store] {
            let stores = [try container.makeStore(), try container.makeStore()]
            for store in stores { store.undoHistory.isEnabled = true }
            return stores
        }
        var stores = try makeStores()
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
            if engine != .memory, random.once(in: 25) {
                // What a kill leaves is what the files have; a copy of them is another store's line.
                if engine == .files { try copy(&place, in: directory, step) }
                if random.once(in: 2) { for store in stores { try store.close() } }
                try container.close()
                backend = try engine.open(place)
                container = StoreContainer(backend: backend, classes: Books.classes, log: .none)
                stores = try makeStores()
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

    /// Goes on with a copy of the directory, which is still open.
    private func copy(_ place: inout String, in directory: ScratchDirectory, _ step: Int) throws {
        let copy = directory.file("Store-\(step)")
        try SystemFiles().makeDirectory(copy)
        try DiskImage(readingFrom: place).write(below: copy)
        place = copy
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
