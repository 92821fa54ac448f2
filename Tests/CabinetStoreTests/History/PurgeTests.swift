import CabinetBackend
import CabinetMemory
import CabinetTokyo
import Foundation
import Testing
import TrustSupport

@testable import Cabinet
@testable import CabinetTestModel

struct PurgeTests {
    /// In the files of a store, what is kept of an object that was saved twice and deleted stands in each kind of
    /// place; afterwards in none.
    @Test(arguments: RunSetting.seeds(2))
    func nothingIsLeftOfWhatIsPurged(_ seed: UInt64) async throws {
        var random = SeededRandom(seed: seed)
        let directory = ScratchDirectory()
        let path = directory.file("Store")
        let backend = try TokyoBackend(path: path, durability: .process, log: .none)
        let container = StoreContainer(backend: backend, classes: [Confession.self], log: .none)
        let store = try container.makeStore()
        store.author = "maria"
        store.undoHistory.survivesRelaunch = true
        let others = (0..<600).map { Confession("other \($0)") }
        let (first, second) = (random.mark(), random.mark())
        let victim = Confession(first)
        for object in others[..<300] + [victim] + others[300...] { store.insert(object) }
        try store.save()
        let start = store.basis
        victim.text = second
        victim.code = second
        others[0].text = "changed"
        try store.save()
        try store.indexes.build()
        try HistoryMove(backend).moveAll()
        try Self.compact(backend)
        let id = try #require(victim.objectID)
        try store.delete(victim)
        try store.save()

        let before = try StoreBytes(of: path)
        let found = Set((before.holders(of: first) + before.holders(of: second)).map(Self.kind))
        #expect(
            found == [
                "Journal/log", "Journal/snapshot", "Confession", "Index", "Text", "History",
                "Store.steps",
            ])

        try await container.purge(id)
        try expectNothing(of: [first, second], in: path)
        #expect(try container.history(of: id).isEmpty)
        let then = try await container.read(asOf: start) { store in
            try store.objects(of: Confession.self).map(\.text).sorted()
        }
        #expect(then == (0..<600).map { "other \($0)" }.sorted())
        #expect(try container.history(of: others[0]).count == 2)
        #expect(try await store.check().findings.isEmpty)
        // Nor does what is written later bring it back.
        others[2].text = "later"
        try store.save()
        try Self.compact(backend)
        try store.close()
        try container.close()
        try expectNothing(of: [first, second], in: path)
        let again = try Store(
            backend: TokyoBackend(path: path, log: .none), classes: [Confession.self])
        #expect(try again.count(of: Confession.self) == 600)
        #expect(try again.search(Confession.self, "changed").totalCount == 1)
        try again.close()
    }

    private func expectNothing(of marks: [String], in path: String) throws {
        let bytes = try StoreBytes(of: path)
        for mark in marks { #expect(bytes.holders(of: mark) == []) }
    }

    /// Not the one of that name that waits.
    private static func compact(_ backend: TokyoBackend) throws { try backend.compact() }

    /// What a file is, by its name.
    private static func kind(_ name: String) -> String {
        for kind in ["Journal/log", "Journal/snapshot", "Store.steps"] where name.hasPrefix(kind) {
            return kind
        }
        return String(name.prefix { $0 != "." })
    }

    @Test(arguments: HistoryEngine.present)
    func historyBeforeACommitIsGoneAndSaidToBe(_ engine: HistoryEngine) async throws {
        let directory = ScratchDirectory()
        var random = SeededRandom(seed: 1)
        let container = StoreContainer(
            backend: try engine.open(engine.place(in: directory)), classes: Books.classes,
            log: .none)
        var store = try container.makeStore()
        let entry = LedgerEntry("", cents: 0)
        store.insert(entry)
        var commits: [CommitNumber] = []
        let marks = (0..<6).map { _ in random.mark() }
        for mark in marks {
            entry.text = mark
            try store.save()
            commits.append(store.basis)
        }
        let id = try #require(entry.objectID)
        // A database keeps what an open store reads as of.
        try store.close()
        try await container.purgeHistory(before: commits[3])
        for (mark, commit) in zip(marks, commits) {
            if commit >= commits[3] {
                let found = try await container.read(asOf: commit) { store in
                    try store.objects(of: LedgerEntry.self).map(\.text)
                }
                #expect(found == [mark])
            } else {
                await #expect(throws: BackendError.changesGone(oldest: commits[3])) {
                    try await container.read(asOf: commit) { try $0.count(of: LedgerEntry.self) }
                }
                // Also of the file of a database.
                try expectNothing(of: [mark], in: directory.path)
            }
        }
        #expect(try container.history(of: id).map(\.commit) == Array(commits[4...]))
        // Once, it began later without a word.
        await #expect(throws: BackendError.changesGone(oldest: commits[3])) {
            for try await _ in container.history(of: LedgerEntry.self, since: .distantPast) {}
        }
        // All of it, as of the last commit.
        let last = try container.backend.lastCommit()
        try await container.purgeHistory(before: Date.distantFuture)
        #expect(try container.history(of: id).isEmpty)
        #expect(try await container.read(asOf: last) { try $0.count(of: LedgerEntry.self) } == 1)
        store = try container.makeStore()
        try #require(try store.object(id)).text = "again"
        try store.save()
        #expect(try container.history(of: id).count == 1)
        try container.close()
    }

    @Test(arguments: HistoryEngine.present)
    func thePresentOfAnObjectStays(_ engine: HistoryEngine) async throws {
        let directory = ScratchDirectory()
        let container = StoreContainer(
            backend: try engine.open(engine.place(in: directory)), classes: Books.classes,
            log: .none)
        let store = try container.makeStore()
        let account = LedgerAccount("first")
        let entry = LedgerEntry("rent", cents: 1, in: account)
        store.insert(account)
        store.insert(entry)
        try store.save()
        let then = store.basis
        entry.cents = 2
        try store.save()
        let id = try #require(entry.objectID)
        try store.close()
        try await container.purge(id)
        let events = try container.history(of: id)
        guard events.count == 1, case .inserted = events[0].kind else {
            Issue.record("\(events)")
            return
        }
        let again = try container.makeStore()
        #expect(try again.object(id)?.cents == 2)
        // As of then the account leads to an entry that is not there.
        let past = try await container.read(asOf: then) { store in
            try (
                store.count(of: LedgerEntry.self),
                store.objects(of: LedgerAccount.self).flatMap(\.entries).map(\.cents)
            )
        }
        #expect(past == (0, [0]))
        #expect(try await again.check().findings.isEmpty)
        try container.close()
    }

    /// Over databases, a store that is open needs what was replaced, until it has refreshed.
    @Test(arguments: HistoryEngine.present.filter { $0 != .memory && $0 != .files })
    func aPurgeGoesOnOnceAStoreHasRefreshed(_ engine: HistoryEngine) async throws {
        let directory = ScratchDirectory()
        let container = StoreContainer(
            backend: try engine.open(engine.place(in: directory)), classes: [Confession.self],
            log: .none)
        defer { try? container.close() }
        let store = try container.makeStore()
        let victim = Confession("first")
        store.insert(victim)
        try store.save()
        let id = try #require(victim.objectID)
        try store.delete(victim)
        try store.save()
        #expect(try container.history(of: victim).count == 2)
        await #expect(throws: BackendError.self) { try await container.purge(id) }
        try store.refresh()
        try await container.purge(id)
        #expect(try container.history(of: id).isEmpty)
        try store.close()
    }

    @Test func whatTheFeedKeepsForOthersIsNamed() async throws {
        let directory = ScratchDirectory()
        let backend = try TokyoBackend(
            path: directory.file("Store"), durability: .process, log: .none)
        let container = StoreContainer(backend: backend, classes: Books.classes, log: .none)
        let store = try container.makeStore()
        var random = SeededRandom(seed: 2)
        let mark = random.mark()
        let entry = LedgerEntry(mark, cents: 1)
        store.insert(entry)
        try store.save()
        try backend.keepChanges(after: backend.position(), for: "reader", limit: 1 << 30)
        let id = try #require(entry.objectID)
        try store.delete(entry)
        try store.save()
        await #expect(throws: StoreError.stillKept(by: ["reader"])) {
            try await container.purge(id)
        }
        #expect(try container.history(of: id).isEmpty)
        #expect(try !StoreBytes(of: directory.file("Store")).holders(of: mark).isEmpty)
        try backend.letGoOfChanges(for: "reader")
        try await container.purge(id)
        try expectNothing(of: [mark], in: directory.file("Store"))
        try container.close()
    }

    @Test func stepsAboutAPurgedObjectGoWithThoseBeforeThem() async throws {
        let container = StoreContainer(inMemory: Books.classes)
        let store = try container.makeStore()
        store.author = "maria"
        store.undoHistory.survivesRelaunch = true
        let (entry, other) = (LedgerEntry("rent", cents: 1), LedgerEntry("food", cents: 1))
        store.insert(entry)
        store.insert(other)
        try store.save()
        try store.undoHistory.group("first") { other.cents = 2 }
        try store.undoHistory.group("second") { entry.cents = 2 }
        try store.undoHistory.group("third") { other.cents = 3 }
        try store.delete(entry)
        try store.undoHistory.undo()
        try store.save()
        let id = try #require(entry.objectID)
        try store.close()
        try await container.purge(id)
        let again = try container.makeStore()
        again.author = "maria"
        again.undoHistory.survivesRelaunch = true
        #expect(again.undoHistory.undoName == "third" && !again.undoHistory.canRedo)
        #expect(try again.undoHistory.undo())
        #expect(!again.undoHistory.canUndo)
        #expect(try again.objects(of: LedgerEntry.self).map(\.cents).sorted() == [2, 2])
        try again.close()
        try container.close()
    }
}

private final class Confession: StoredObject {
    @Field var text = ""
    @Field var code = ""

    override class var keepsHistory: Bool { true }
    override class var indexes: [Index] { [.ordered(\Confession.code)] }
    override class var textIndexes: [TextIndex] { [.text(\Confession.text)] }

    convenience init(_ text: String) {
        self.init()
        (self.text, code) = (text, text)
    }
}
