import CabinetBackend
import CabinetMemory
import CabinetTokyo
import Foundation
import Testing
import TrustSupport

@testable import Cabinet

/// What is found of commits that wait to be moved is what a walk over all of them finds.
struct WaitingChangesTests {
    /// Small saves and large ones of any engine, by a program that keeps history and one that does not, some of
    /// them moved: what the index finds is what reading all commits finds.
    @Test(arguments: HistoryEngine.present, RunSetting.seeds(8))
    func whatIsFoundIsWhatAWalkFinds(_ engine: HistoryEngine, _ seed: UInt64) throws {
        let directory = ScratchDirectory()
        var random = SeededRandom(seed: seed)
        let backend = try engine.open(engine.place(in: directory), changesKept: 1 << 30)
        // Without a store of a user's no worker moves anything.
        let waiting = WaitingChanges()
        var store = try Store.ofWorker(over: backend, Books.classes)
        try HistoryPart.keepCommits(in: backend)
        var entries = (0..<1_000).map { LedgerEntry("\($0)", cents: $0) }
        for entry in entries { store.insert(entry) }
        try store.save()
        let ids = try entries.map { try #require($0.objectID) }
        for step in 0..<30 {
            switch random.below(8) {
            case 0:
                for entry in entries { entry.text = "\(step)" + String(repeating: "x", count: 500) }
            case 1 where entries.count > 100:
                for _ in 0..<3 {
                    try store.delete(entries.remove(at: random.below(entries.count)))
                }
            case 2:
                try store.save()
                try store.close()
                try forget(over: backend, &random)
                store = try Store.ofWorker(over: backend, Books.classes)
                entries = try store.objects(of: LedgerEntry.self).map { $0 }
            case 3: _ = try HistoryMove(backend, partSize: 1 << 18).movePart()
            default:
                for _ in 0..<1 + random.below(20) {
                    entries[random.below(entries.count)].cents += step
                }
            }
            try store.save()
            if random.below(3) == 0 { try noteSome(of: backend, in: waiting) }
            for _ in 0..<5 {
                let id = ids[random.below(ids.count)]
                try compare(id, waiting, backend)
            }
        }
        for id in ids.prefix(50) { try compare(id, waiting, backend) }
        try store.close()
        try backend.close()
    }

    private func compare(
        _ id: ObjectID<LedgerEntry>, _ waiting: WaitingChanges, _ backend: any Backend
    ) throws {
        let look = try PastLook(over: backend, label: "test")
        let place = RowPlace(table: id.table, row: id.rowID)
        #expect(try waiting.forEachCommit(on: place, of: look) { _, _ in })
        #expect(try look.events(of: place, waiting) == look.events(of: place))
    }

    /// As the worker, which goes over commits in their order.
    private func noteSome(of backend: any Backend, in waiting: WaitingChanges) throws {
        let kept = try #require(try backend.keptChanges(for: HistoryPart.name))
        let cursor = try backend.changes(after: kept.position)
        for _ in 0..<3 {
            if let commit = try cursor.next() { try waiting.note(commit, in: backend) }
        }
    }

    /// Some changes of a program that does not keep history.
    private func forget(over backend: any Backend, _ random: inout SeededRandom) throws {
        let store = try Store.ofWorker(over: backend, Books.forgetful)
        let entries = try store.objects(of: ForgetfulLedgerEntry.self)
        for _ in 0..<20 { entries[random.below(entries.count)].cents += 1 }
        try store.save()
        try store.close()
    }

    /// Of a large commit that was damaged since, nothing wrong is shown.
    @Test func damageOfALargeCommitIsAnErrorOfItsChangesAlone() throws {
        let directory = ScratchDirectory()
        let path = directory.file("Store")
        let backend = try TokyoBackend(path: path, durability: .process, log: .none)
        let waiting = WaitingChanges()
        let store = try Store.ofWorker(over: backend, Books.classes)
        try HistoryPart.keepCommits(in: backend)
        let entries = (0..<8_000).map { LedgerEntry("text of \($0)", cents: $0) }
        for entry in entries { store.insert(entry) }
        try store.save()
        for entry in entries { entry.text += String(repeating: "y", count: 400) }
        try store.save()
        let (hit, other) = (entries[4_000], entries[7_999])
        try compare(#require(hit.objectID), waiting, backend)
        let log = try #require(
            try FileManager.default.contentsOfDirectory(
                atPath: path + "/Journal"
            ).first { $0.hasPrefix("log-") })
        let url = URL(filePath: path + "/Journal/" + log)
        let bytes = try Data(contentsOf: url)
        let text = Data("text of 4000yyyy".utf8)
        let place = try #require(bytes.firstRange(of: text)?.lowerBound)
        let handle = try FileHandle(forWritingTo: url)
        try handle.seek(toOffset: UInt64(place + 20))
        try handle.write(contentsOf: [bytes[place + 20] ^ 1])
        try handle.close()
        let table = try #require(hit.storedClass).table
        let look = try PastLook(over: backend, label: "test")
        #expect(throws: BackendError.self) {
            try look.events(of: RowPlace(table: table, row: hit.rowID), waiting)
        }
        #expect(
            try look.events(of: RowPlace(table: table, row: other.rowID), waiting).count == 2)
        try store.close()
        try backend.close()
    }
}
