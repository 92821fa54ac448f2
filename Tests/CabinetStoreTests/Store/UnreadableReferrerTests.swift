import CabinetMemory
import Testing

@testable import Cabinet

/// Objects that go with the last reference, where not all references can be read.
struct UnreadableReferrerTests {
    private final class Item: StoredObject {}

    private enum Old {
        final class Holder: StoredObject {
            @One var item: Item?
        }
    }

    private enum New {
        final class Holder: StoredObject {
            override class var version: UInt8 { 2 }
            @One var item: Item?
        }
    }

    private enum Ruled {
        final class Holder: StoredObject {
            @One(onDelete: .cascadeWhenLastReference) var item: Item?
        }
    }

    private let backend = MemoryBackend()

    private func open(_ holder: StoredObject.Type) throws -> Store {
        try Store(backend: backend, classes: [holder, Item.self], log: .none)
    }

    /// Once, it went: a record of a newer program did not count. Without a table of referrers all are read.
    @Test(arguments: [false, true])
    func anObjectStaysIfARecordCannotBeRead(isUsed: Bool) throws {
        var store = try open(Old.Holder.self)
        let holder = Old.Holder()
        holder.item = Item()
        store.insert(holder)
        try store.save()
        let (place, row) = (holder.rowID, try #require(holder.item).rowID)
        store = try open(New.Holder.self)
        let second = New.Holder()
        if isUsed { second.item = try store.object(Item.self, rowID: row) }
        store.insert(second)
        try store.save()
        store = try open(Ruled.Holder.self)
        try store.delete(#require(try store.object(Ruled.Holder.self, rowID: place)))
        #expect(try store.object(Item.self, rowID: row) != nil)
        store.rollback()
        // Once it can be read, it is known.
        store = try open(New.Holder.self)
        #expect(try store.objects(of: New.Holder.self).count == 2)
    }
}
