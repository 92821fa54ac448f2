import CabinetBackend
import CabinetMemory
import CabinetTokyo
import Testing
import TrustSupport

@testable import Cabinet
@testable import CabinetTestModel

struct UndoAcrossLaunchesTests {
    private static let classes: [StoredObject.Type] = [LedgerAccount.self, LedgerEntry.self]

    /// A store of the author that keeps its steps.
    private func open(
        _ backend: any Backend, author: String? = "maria", log: LogSink = .none
    ) throws -> Store {
        let store = try Store(backend: backend, classes: Self.classes, log: log)
        store.author = author
        store.undoHistory.survivesRelaunch = true
        return store
    }

    /// A backend that closing a store does not close.
    private func held() -> (StoreContainer, any Backend) {
        let container = StoreContainer(inMemory: Self.classes)
        return (container, container.backend)
    }

    @Test func whatWasUndoneInALaterRunIsWhatUndoWouldHaveTakenBack() throws {
        let (container, backend) = held()
        var store = try open(backend)
        let account = LedgerAccount("first")
        store.insert(account)
        let entries = (0..<3).map { LedgerEntry("\($0)", cents: $0, in: account) }
        for entry in entries { store.insert(entry) }
        try store.save()
        try store.undoHistory.group("Rename") { entries[0].text = "rent" }
        account.entries.reverse()
        try store.delete(entries[1])
        try store.save()
        let rows = entries.map(\.rowID)
        try store.close()

        store = try open(backend)
        #expect(store.undoHistory.survivesRelaunch)
        let again = try #require(try store.objects(of: LedgerAccount.self).first)
        #expect(again.entries.map(\.rowID) == [rows[2], rows[0]])
        #expect(try store.undoHistory.undo())
        #expect(again.entries.map(\.rowID) == [rows[2], rows[1], rows[0]])
        #expect(again.entries[1].cents == 1 && again.entries[1].account === again)
        #expect(try store.undoHistory.undo())
        #expect(again.entries.map(\.rowID) == rows)
        #expect(store.undoHistory.undoName == "Rename")
        try store.save()
        try store.close()

        store = try open(backend)
        let last = try #require(try store.objects(of: LedgerAccount.self).first)
        #expect(store.undoHistory.undoName == "Rename" && store.undoHistory.canRedo)
        #expect(try store.undoHistory.undo())
        #expect(last.entries.map(\.text) == ["0", "1", "2"])
        while try store.undoHistory.redo() {}
        #expect(last.entries.map(\.rowID) == [rows[2], rows[0]])
        #expect(last.entries.map(\.text) == ["2", "rent"])
        try store.close()
        try container.close()
    }

    @Test func whatOthersHaveChangedBetweenTwoRunsStays() throws {
        let (container, backend) = held()
        var store = try open(backend)
        let (entry, other) = (LedgerEntry("rent", cents: 1), LedgerEntry("food", cents: 1))
        store.insert(entry)
        store.insert(other)
        try store.save()
        try store.undoHistory.group {
            entry.text = "flat"
            entry.cents = 2
        }
        other.cents = 3
        try store.save()
        try store.close()
        let foreign = try container.makeStore()
        let same = try #require(
            try foreign.objects(of: LedgerEntry.self).first { $0.text == "flat" })
        same.cents = 50
        try foreign.save()
        try foreign.close()

        store = try open(backend)
        #expect(try store.undoHistory.undo())
        #expect(try store.undoHistory.undo())
        let found = try store.objects(of: LedgerEntry.self).map { "\($0.text) \($0.cents)" }
        #expect(found.sorted() == ["food 1", "rent 50"])
        try store.close()
        try container.close()
    }

    @Test func whatOthersHaveChangedBetweenTwoStepsStaysAfterARelaunch() throws {
        let (container, backend) = held()
        var store = try open(backend)
        let entry = LedgerEntry("rent", cents: 1)
        store.insert(entry)
        try store.save()
        entry.cents = 2
        try store.save()
        let foreign = try container.makeStore()
        try #require(try foreign.objects(of: LedgerEntry.self).first).cents = 50
        try foreign.save()
        try foreign.close()
        try store.refresh()
        entry.text = "flat"
        try store.save()
        try store.close()

        store = try open(backend)
        let same = try #require(try store.objects(of: LedgerEntry.self).first)
        #expect(try store.undoHistory.undo())
        #expect(same.text == "rent" && same.cents == 50)
        #expect(try store.undoHistory.undo())
        #expect(same.text == "rent" && same.cents == 50)
        try store.close()
        try container.close()
    }

    @Test func oneOpenStoreHasTheStepsOfAnAuthor() throws {
        let (container, backend) = held()
        let messages = Guarded<[String]>([])
        let log = LogSink { _, text in messages.withLock { $0.append(text) } }
        let first = try open(backend)
        first.insert(LedgerEntry("rent", cents: 1))
        try first.save()
        let second = try open(backend, log: log)
        #expect(!second.undoHistory.survivesRelaunch && !second.undoHistory.canUndo)
        #expect(messages.withLock { $0.contains { $0.contains("'maria'") } })
        let third = try open(backend, author: "jan")
        #expect(third.undoHistory.survivesRelaunch && !third.undoHistory.canUndo)
        try first.close()
        let fourth = try open(backend)
        #expect(fourth.undoHistory.survivesRelaunch && fourth.undoHistory.canUndo)
        for store in [second, third, fourth] { try store.close() }
        try container.close()
    }

    @Test func aRowOfAnObjectThatWasNeverSavedIsNotGivenOutAgain() throws {
        let directory = ScratchDirectory()
        func backend() throws -> any Backend {
            try TokyoBackend(path: directory.file("Store"), durability: .process)
        }
        var store = try open(try backend())
        let first = LedgerEntry("first", cents: 0)
        store.insert(first)
        try store.save()
        let entry = LedgerEntry("second", cents: 1)
        store.insert(entry)
        let row = entry.rowID
        try store.delete(entry)
        first.cents = 3
        try store.save()
        try store.close()
        store = try open(try backend())
        let other = LedgerEntry("other", cents: 2)
        #expect(try store.undoHistory.undo() && store.undoHistory.undo())
        #expect(try store.objects(of: LedgerEntry.self).map(\.rowID).contains(row))
        store.insert(other)
        #expect(other.rowID != row)
        try store.save()
        #expect(try store.count(of: LedgerEntry.self) == 3)
        try store.close()
    }

    @Test func stepsOfClassesThatHaveChangedAreForgottenWithAMessage() throws {
        let (container, backend) = held()
        var store = try open(backend)
        let entry = LedgerEntry("rent", cents: 1)
        store.insert(entry)
        try store.save()
        entry.cents = 2
        try store.save()
        try store.close()
        let messages = Guarded<[String]>([])
        let log = LogSink { _, text in messages.withLock { $0.append(text) } }
        store = try Store(backend: backend, classes: [RicherLedgerEntry.self], log: log)
        store.author = "maria"
        store.undoHistory.survivesRelaunch = true
        #expect(!store.undoHistory.canUndo)
        #expect(messages.withLock { $0.contains { $0.hasPrefix("2 steps of undo") } })
        try store.close()
        try container.close()
    }

    // MARK: Model

    /// Random edits, saves, undo and redo in a store that is closed and opened again now and then, beside a
    /// second one that never is: both have the same objects and steps.
    @Test(arguments: RunSetting.seeds(32))
    func aRelaunchChangesNothingOfUndo(_ seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let (first, second) = (held(), held())
        var store = try open(first.1)
        let steady = try open(second.1)
        // Rows of a class that was never saved cannot be kept for its objects.
        for first in [store, steady] {
            first.insert(LedgerAccount("first"))
            first.insert(LedgerEntry("first", cents: 0))
            try first.save()
        }
        for step in 0..<80 {
            var same = random
            try edit(store, &random)
            try edit(steady, &same)
            if random.once(in: 3) {
                try store.save()
                try steady.save()
                try expectOnlyWhatStepsNeed(in: store)
                if random.once(in: 3) {
                    try store.close()
                    store = try open(first.1)
                }
            }
            #expect(store.undoHistory.canUndo == steady.undoHistory.canUndo)
            #expect(store.undoHistory.canRedo == steady.undoHistory.canRedo)
            #expect(store.undoHistory.undoName == steady.undoHistory.undoName)
            let (mine, theirs) = (try store.booksByRank(), try steady.booksByRank())
            try #require(mine == theirs, "seed \(seed), step \(step)")
        }
        try store.close()
        try steady.close()
        try first.0.close()
        try second.0.close()
    }

    /// The table has the steps of both lists, and of objects those that these are about, or fewer.
    private func expectOnlyWhatStepsNeed(in store: Store) throws {
        let steps = store.annex(UndoSteps.self) { UndoSteps($0) }
        let tables = try store.backend.tables()
        guard let table = tables.first(where: { $0.name == KeptSteps.tableName }) else { return }
        var found: [[UInt64]] = [[], [], []]
        let cursor = try store.backend.entries(
            in: table.number, range: .everything, descending: false)
        let run = EntryRun()
        while try cursor.next(run) {
            while let (key, _) = run.next() {
                let number = key.suffix(8).reduce(0) { $0 << 8 | UInt64($1) }
                found[Int(key[key.count - 9])].append(number)
            }
        }
        #expect(found[0] == steps.undoable.latestFirst.map(\.number).reversed())
        #expect(found[1] == steps.redoable.latestFirst.map(\.number).reversed())
        #expect(steps.keys.isSuperset(of: found[2]))
    }

    private func edit(_ store: Store, _ random: inout SeededRandom) throws {
        let entries = try store.objects(of: LedgerEntry.self).sorted { $0.rowID < $1.rowID }
        let accounts = try store.objects(of: LedgerAccount.self).sorted { $0.rowID < $1.rowID }
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
        case 8:
            try store.undoHistory.group("group \(random.below(10))") {
                entry?.text = "grouped"
                account?.name = "grouped"
            }
        case 9, 10: _ = try store.undoHistory.undo()
        default: _ = try store.undoHistory.redo()
        }
    }
}

extension Store {
    /// Accounts and entries as text, with the places among the rows for rows: which rows are given out is no
    /// matter.
    fileprivate func booksByRank() throws -> [String] {
        let entries = try objects(of: LedgerEntry.self).sorted { $0.rowID < $1.rowID }
        let accounts = try objects(of: LedgerAccount.self).sorted { $0.rowID < $1.rowID }
        func rank(_ object: StoredObject?, _ all: [StoredObject]) -> Int {
            all.firstIndex { $0 === object } ?? -1
        }
        return accounts.map { account in
            "\(account.name): \(account.entries.map { rank($0, entries) })"
        } + entries.map { "\($0.text) \($0.cents) \(rank($0.account, accounts))" }
    }
}

/// As ``LedgerEntry``, with another field.
private final class RicherLedgerEntry: StoredObject {
    @Field var text = ""
    @Field var cents = 0
    @Field var currency = "EUR"

    override class var storageName: String { "LedgerEntry" }
}
