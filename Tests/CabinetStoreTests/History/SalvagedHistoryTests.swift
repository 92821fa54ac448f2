import CabinetBackend
import CabinetTokyo
import Foundation
import Testing
import TrustSupport

@testable import Cabinet

/// What a salvage leaves of history.
struct SalvagedHistoryTests {
    /// Of a store whose log is whole all that the log has, of one that has lost a commit all that comes behind it:
    /// the same events and states, with the numbers of other commits.
    @Test(arguments: RunSetting.seeds(16), [false, true])
    func whatTheLogHasOfHistoryIsKept(_ seed: UInt64, _ isDamaged: Bool) async throws {
        var random = SeededRandom(seed: seed)
        let directory = ScratchDirectory()
        let (path, saved) = (directory.file("Store"), directory.file("Saved"))
        var backend = try TokyoBackend(path: path, durability: .process, log: .none)
        try HistoryPart.keepCommits(in: backend)
        var store = try Store.ofWorker(over: backend, Books.classes)
        store.author = "maria"
        var entries = (0..<20).map { LedgerEntry("", cents: $0) }
        for entry in entries { store.insert(entry) }
        var commits: [(number: CommitNumber, books: [String])] = []
        for step in 0..<40 {
            // What a step that is lost changes of one of the first, the next ones change again.
            entries[step % 5].text = "mark \(step)."
            if step % 3 != 0 { try edit(&entries, of: store, &random) }
            try store.save()
            commits.append((store.basis, try store.booksAsText()))
        }
        try store.close()
        let lost = isDamaged ? 3 * (1 + random.below(10)) : nil
        let first = lost.map { commits[$0].number } ?? 0
        var container = StoreContainer(backend: backend, classes: Books.classes)
        let told = try await events(of: container, after: first)
        try container.close()
        if let lost { try damage(path + "/Journal/log-0000000000000001", at: "mark \(lost).") }

        let report = try await TokyoBackend.salvage(from: path, into: saved)
        #expect(report.isComplete == !isDamaged)
        backend = try TokyoBackend(path: saved, durability: .process, log: .none)
        let kept = try #require(try backend.keptChanges(for: HistoryPart.name)?.position.commit)
        container = StoreContainer(backend: backend, classes: Books.classes)
        let found = try await events(of: container, after: kept)
        #expect(!told.isEmpty && found == told, "\(found.difference(from: told))")
        var states: [[String]] = []
        for number in kept.rawValue...(try backend.lastCommit()).rawValue {
            let state = try await container.read(asOf: CommitNumber(number)) {
                try $0.booksAsText()
            }
            if state != states.last { states.append(state) }
        }
        let expected = commits[(lost ?? 0)...].map(\.books)
        // Before the first commit of a log that is whole there are no books.
        #expect(Array(states.drop { $0.count == 1 }) == expected)
        store = try container.makeStore()
        #expect(try await store.check().findings.isEmpty)
        try store.close()
        try HistoryMove(backend).moveAll()
        #expect(try await events(of: container, after: kept) == told)
        try container.close()
    }

    private func edit(
        _ entries: inout [LedgerEntry], of store: Store, _ random: inout SeededRandom
    ) throws {
        switch random.below(3) {
        case 0:
            entries.append(LedgerEntry("new", cents: random.below(100)))
            store.insert(entries[entries.count - 1])
        case 1 where entries.count > 6:
            try store.delete(entries.remove(at: 5 + random.below(entries.count - 5)))
        default: entries[random.below(entries.count)].cents += 100
        }
    }

    private func events(
        of container: StoreContainer, after commit: CommitNumber
    ) async throws -> [String] {
        var found: [String] = []
        for try await event in container.history(of: LedgerEntry.self)
        where event.commit > commit {
            found.append(
                "\(event.id.rowID) \(event.date.timeIntervalSince1970) \(event.author ?? "") \(event.kind)"
            )
        }
        // Of one commit the log has them in another order than tables have.
        return found.sorted()
    }

    private func damage(_ path: String, at text: String) throws {
        var bytes = try Data(contentsOf: URL(filePath: path))
        let place = try #require(bytes.range(of: Data(text.utf8)))
        bytes[place.lowerBound] ^= 0x40
        try bytes.write(to: URL(filePath: path))
    }
}
