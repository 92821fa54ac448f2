import CabinetBackend
import CabinetMemory
import CabinetTokyo
import Foundation
import Testing
import TrustSupport

@testable import Cabinet
@testable import CabinetTestModel

struct HistoryTests {
    private func number(_ value: FieldValue?) -> Int? {
        if case .integer(let number) = value { Int(number) } else { nil }
    }

    @Test func historyTellsWhoHasChangedAFieldFromWhatToWhat() throws {
        let container = StoreContainer(inMemory: Books.classes)
        let store = try container.makeStore()
        let entry = LedgerEntry("rent", cents: 100)
        store.author = "maria"
        store.insert(entry)
        try store.save()
        entry.cents = 250
        store.author = "jan"
        try store.note("a typing error")
        try store.save()
        try store.save()
        let id = try #require(entry.objectID)
        try store.delete(entry)
        try store.save()

        let events = try container.history(of: id)
        #expect(events.map(\.author) == ["maria", "jan", "jan"])
        #expect(events.map(\.notes) == [[], ["a typing error"], []])
        try #require(events.count == 3)
        guard case .inserted(let fields) = events[0].kind,
            case .changed(let changes) = events[1].kind,
            case .deleted(let last) = events[2].kind
        else {
            Issue.record("\(events.map(\.kind))")
            return
        }
        #expect(number(fields.first { $0.name == "cents" }?.value) == 100)
        #expect(changes.map(\.name) == ["cents"])
        #expect(number(changes.first?.old) == 100 && number(changes.first?.new) == 250)
        #expect(number(last.first { $0.name == "cents" }?.value) == 250)
    }

    @Test func historyOfAClassComesInTheOrderOfCommitsAndEnds() async throws {
        let container = StoreContainer(inMemory: Books.classes)
        let store = try container.makeStore()
        let entries = (0..<5).map { LedgerEntry("\($0)", cents: $0) }
        for entry in entries {
            store.insert(entry)
            try store.save()
        }
        for entry in entries { entry.cents += 10 }
        try store.save()
        var rows: [RowID] = []
        var dates: [Date] = []
        for try await event in container.history(of: LedgerEntry.self) {
            rows.append(event.id.rowID)
            dates.append(event.date)
        }
        #expect(rows == entries.map(\.rowID) + entries.map(\.rowID))
        var later = 0
        for try await event in container.history(of: LedgerEntry.self, since: dates[9]) {
            later += 1
            #expect(event.date >= dates[9])
        }
        #expect(later >= 5)
    }

    @Test func aStoreWithoutHistoryWritesNothingOfIt() throws {
        let backend = MemoryBackend()
        let store = try Store(backend: backend, classes: Books.forgetful)
        store.insert(ForgetfulLedgerEntry())
        store.namedBuffers["one"] = DataBuffer()
        try store.save()
        #expect(try formers(in: backend) == 0)
        #expect(try backend.keptChanges().isEmpty)
        try store.close()
    }

    @Test func commitsSayWhatTheyReplaceOfObjectsAndNames() throws {
        let backend = MemoryBackend()
        let store = try Store(backend: backend, classes: Books.withRemarks)
        let entry = LedgerEntry("rent", cents: 1)
        store.insert(entry)
        store.insert(LedgerRemark("not kept"))
        store.namedBuffers["one"] = DataBuffer()
        try store.save()
        #expect(try formers(in: backend) == 2)
        entry.cents = 2
        store.namedBuffers["one"] = nil
        try store.save()
        #expect(try formers(in: backend) == 4)
        try store.close()
    }

    private func formers(in backend: any Backend) throws -> Int {
        var count = 0
        let cursor = try backend.changes(after: .none)
        while let commit = try cursor.next() {
            try commit.forEachOperation { operation in
                if case .unknown(Operation.former, _, let bytes) = operation {
                    #expect(FormerValue(bytes) != nil || FormerValue.saysNewRows(bytes))
                    count += 1
                }
            }
        }
        return count
    }

    // MARK: Gaps

    @Test func whatAProgramWithoutHistoryHasChangedIsShownAsAGap() async throws {
        let backend = MemoryBackend()
        let keeper = StoreContainer(backend: backend, classes: Books.classes)
        let store = try keeper.makeStore()
        let (entry, other) = (LedgerEntry("rent", cents: 1), LedgerEntry("food", cents: 5))
        store.insert(entry)
        store.insert(other)
        try store.save()
        let start = store.basis
        let forgetful = try Store(backend: backend, classes: Books.forgetful)
        let same = try #require(
            try forgetful.objects(of: ForgetfulLedgerEntry.self).first { $0.text == "rent" })
        same.cents = 2
        // A save with the participants of another store keeps formers only of classes that it knows so.
        try forgetful.save()
        try store.refresh()
        entry.cents = 3
        try store.save()
        let kinds = try keeper.history(of: entry).map(\.kind)
        try #require(kinds.count == 3)
        guard case .written(let fields) = kinds[1] else {
            Issue.record("\(kinds)")
            return
        }
        #expect(number(fields.first { $0.name == "cents" }?.value) == 2)
        await #expect(throws: BackendError.changesGone(oldest: start.next)) {
            try await keeper.read(asOf: start) { store in
                try store.objects(of: LedgerEntry.self).count
            }
        }
        #expect(
            try await keeper.read(asOf: start.next) { store in
                try store.query(LedgerEntry.self).sum(\.cents)
            } == 7)
        try forgetful.close()
    }

    @Test func aClassWithoutHistoryCanBeReadWhereItHasNotChanged() async throws {
        let container = StoreContainer(inMemory: Books.withRemarks)
        let store = try container.makeStore()
        let entry = LedgerEntry("rent", cents: 1)
        let remark = LedgerRemark("dear", on: entry)
        store.insert(entry)
        store.insert(remark)
        try store.save()
        let start = store.basis
        entry.cents = 2
        try store.save()
        let found = try await container.read(asOf: start) { store in
            try store.objects(of: LedgerRemark.self).map { "\($0.text) \($0.entry?.cents ?? 0)" }
        }
        #expect(found == ["dear 1"])
        remark.text = "cheap"
        try store.save()
        await #expect(throws: BackendError.changesGone(oldest: store.basis)) {
            try await container.read(asOf: start) { store in
                try store.objects(of: LedgerRemark.self).count
            }
        }
        #expect(try await container.read(asOf: start) { try $0.count(of: LedgerEntry.self) } == 1)
    }

    @Test func aCheckHoldsWhatCommitsHaveReplacedAgainstWhatStoodThere() async throws {
        let container = StoreContainer(inMemory: Books.classes)
        let store = try container.makeStore()
        let (entry, other) = (LedgerEntry("rent", cents: 1), LedgerEntry("food", cents: 1))
        store.insert(entry)
        store.insert(other)
        try store.save()
        other.cents = 2
        try store.save()
        try store.delete(other)
        try store.save()
        #expect(try await store.check().findings.isEmpty)
        let place = try #require(entry.objectID)
        let (backend, record) = (container.backend, DataBuffer())
        #expect(try backend.value(of: place.rowID, in: place.table, into: record))
        let batch = backend.makeBatch()
        let arena = batch.beginRecord(place.rowID, in: place.table)
        record.withUnsafeBytes { arena.writeRawBytes($0) }
        try batch.endRecord()
        try batch.addFormer(nil, of: place.rowID, in: place.table)
        try backend.commit(batch)
        try store.refresh()
        let report = try await store.check()
        #expect(report.counts == [.wrongHistory: 1])
        #expect(report.findings.first?.row == place.rowID)
    }

    // MARK: Restoring

    @Test func restoringIsAnEditThatUndoTakesBack() async throws {
        let container = StoreContainer(inMemory: Books.classes)
        let store = try container.makeStore()
        store.undoHistory.isEnabled = true
        let (first, second) = (LedgerAccount("first"), LedgerAccount("second"))
        let entry = LedgerEntry("rent", cents: 1, in: first)
        for object in [first, second, entry] as [StoredObject] { store.insert(object) }
        try store.save()
        let then = store.basis
        entry.cents = 2
        entry.account = second
        try store.save()
        try container.restore(entry, from: then)
        #expect(entry.cents == 1 && entry.account === first)
        #expect(first.entries == [entry] && second.entries.isEmpty)
        #expect(store.hasChanges)
        try store.undoHistory.undo()
        #expect(entry.cents == 2 && entry.account === second && second.entries == [entry])
        try store.undoHistory.redo()
        #expect(entry.cents == 1 && first.entries == [entry] && second.entries.isEmpty)
        try store.save()
        #expect(try await store.check().findings.isEmpty)
    }

    @Test func restoringLeavesOutWhatIsGoneSince() async throws {
        let container = StoreContainer(inMemory: Books.classes)
        let store = try container.makeStore()
        let account = LedgerAccount("first")
        let (entry, other) = (
            LedgerEntry("rent", cents: 1, in: account), LedgerEntry("food", cents: 2, in: account)
        )
        for object in [account, entry, other] as [StoredObject] { store.insert(object) }
        try store.save()
        let then = store.basis
        try store.delete(other)
        account.name = "second"
        try store.save()
        try container.restore(account, from: then)
        #expect(account.name == "first" && account.entries == [entry])
        try store.delete(account)
        entry.cents = 5
        try store.save()
        let again = try container.makeStore()
        let same = try #require(try again.objects(of: LedgerEntry.self).first)
        try container.restore(same, from: then)
        #expect(same.cents == 1 && same.account == nil)
        try again.save()
        #expect(try await again.check().findings.isEmpty)
    }

    @Test func restoringADeletedObjectBringsItBackInItsRow() throws {
        let container = StoreContainer(inMemory: Books.classes)
        let store = try container.makeStore()
        store.undoHistory.isEnabled = true
        let account = LedgerAccount("first")
        let entry = LedgerEntry("rent", cents: 1, in: account)
        store.insert(account)
        store.insert(entry)
        try store.save()
        let (then, row) = (store.basis, entry.rowID)
        try store.delete(entry)
        try store.save()
        try container.restore(entry, from: then)
        #expect(entry.cents == 1 && account.entries == [entry] && entry.rowID == row)
        try store.undoHistory.undo()
        #expect(account.entries.isEmpty)
        #expect(try store.count(of: LedgerEntry.self) == 0)
        try store.undoHistory.redo()
        try store.save()
        let again = try Store(backend: container.backend, classes: Books.classes)
        #expect(try again.objects(of: LedgerEntry.self).map(\.rowID) == [row])
        #expect(try again.objects(of: LedgerAccount.self).first?.entries.map(\.cents) == [1])
        try again.close()
        #expect(throws: StoreError.notThen(class: "LedgerEntry", row: row, commit: .none)) {
            try container.restore(entry, from: .none)
        }
    }
}
