import CabinetBackend
import Testing

@testable import Cabinet

/// Bringing back by its ID what is not in memory.
struct RestoringTests {
    @Test func anObjectThatAnEarlierRunDeletedComesBackByItsID() async throws {
        let container = StoreContainer(inMemory: Books.classes)
        var store = try container.makeStore()
        let account = LedgerAccount("first")
        let entry = LedgerEntry("rent", cents: 1, in: account)
        store.insert(account)
        store.insert(entry)
        try store.save()
        let (then, id) = (store.basis, try #require(entry.objectID))
        try store.delete(entry)
        try store.save()
        let later = store.basis
        try store.close()

        store = try container.makeStore()
        store.undoHistory.isEnabled = true
        let found = try container.restore(id, from: then, in: store)
        let owner = try #require(try store.objects(of: LedgerAccount.self).first)
        #expect(found.cents == 1 && found.account === owner && owner.entries == [found])
        #expect(found.rowID == id.rowID)
        try store.undoHistory.undo()
        #expect(try store.object(id) == nil && owner.entries.isEmpty)
        try store.undoHistory.redo()
        try store.save()
        #expect(found.objectID == id)
        #expect(try await store.check().findings.isEmpty)
        #expect(try await container.read { try $0.object(id)?.text } == "rent")
        // There was none then, nor was anything changed.
        try store.delete(found)
        try store.save()
        #expect(throws: StoreError.notThen(class: "LedgerEntry", row: id.rowID, commit: later)) {
            try container.restore(id, from: later, in: store)
        }
        #expect(!store.hasChanges)
        let other = StoreContainer(inMemory: Books.classes)
        #expect(throws: StoreError.foreignID(class: "LedgerEntry")) {
            try other.restore(id, from: then, in: store)
        }
        try store.close()
    }

    @Test func anObjectThatAnotherStoreDeletedComesBackByItsID() async throws {
        let container = StoreContainer(inMemory: Books.classes)
        let (store, other) = (try container.makeStore(), try container.makeStore())
        let entry = LedgerEntry("rent", cents: 1)
        store.insert(entry)
        try store.save()
        let (then, id) = (store.basis, try #require(entry.objectID))
        try other.refresh()
        try other.delete(#require(try other.object(id)))
        try other.save()
        try store.refresh()
        let found = try container.restore(id, from: then, in: store)
        #expect(found.cents == 1)
        try store.save()
        #expect(try await container.read { try $0.object(id)?.text } == "rent")
        store.rollback()
        #expect(try store.object(id) === found)
    }
}
