import CabinetMemory
import Testing

@testable import Cabinet

/// Objects that go with the last reference, where not all references can be read.
struct UnreadableReferrerTests {
    private enum Old {
        final class Holder: StoredObject {
            @One(onDelete: .cascadeWhenLastReference) var item: Item?
        }
        final class Item: StoredObject {}
    }

    private enum New {
        final class Holder: StoredObject {
            override class var version: UInt8 { 2 }
            @One(onDelete: .cascadeWhenLastReference) var item: Old.Item?
        }
    }

    private let backend = MemoryBackend()

    private func open(_ holder: StoredObject.Type) throws -> Store {
        try Store(backend: backend, classes: [holder, Old.Item.self], log: .none)
    }

    /// Once, it went: a record of a newer program did not count.
    @Test func anObjectStaysIfARecordCannotBeRead() throws {
        var store = try open(Old.Holder.self)
        let holder = Old.Holder()
        holder.item = Old.Item()
        store.insert(holder)
        try store.save()
        let (place, row) = (holder.rowID, try #require(holder.item).rowID)
        store = try open(New.Holder.self)
        let second = New.Holder()
        second.item = try store.object(Old.Item.self, rowID: row)
        store.insert(second)
        try store.save()
        let other = second.rowID
        store = try open(Old.Holder.self)
        try store.delete(#require(try store.object(Old.Holder.self, rowID: place)))
        try store.save()
        store = try open(New.Holder.self)
        #expect(try store.object(New.Holder.self, rowID: other)?.item?.rowID == row)
    }
}
