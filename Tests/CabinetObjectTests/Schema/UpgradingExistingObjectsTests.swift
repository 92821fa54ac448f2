import CabinetBackend
import CabinetMemory
import Testing

@testable import Cabinet
@testable import CabinetTestModel

/// Upgrades that lead to objects which are there already.
struct UpgradingExistingObjectsTests {
    let backend = MemoryBackend()

    func open(_ classes: [StoredObject.Type]) throws -> Store {
        try Store(backend: backend, classes: classes)
    }

    /// Items in rows 2 to 4 and a shelf in row 2, which has none of them.
    func openCatalogued() throws -> Store {
        let old = try open([Unpictured.Item.self])
        for _ in 0..<3 { old.insert(Unpictured.Item()) }
        try old.save()
        let store = try open([Catalogued.Item.self, Catalogued.Shelf.self])
        store.insert(Catalogued.Shelf())
        try store.save()
        return store
    }

    @Test func anExistingObjectIsChangedWithIt() async throws {
        let store = try openCatalogued()
        let shelf = try #require(try store.objects(of: Catalogued.Shelf.self).first)
        let item = try #require(try store.object(Catalogued.Item.self, rowID: 3))
        #expect(item.shelf === shelf && shelf.items.contains { $0 === item })
        try store.save()
        #expect(try await store.check().findings == [])
        try store.upgradeAll()
        try store.save()
        let again = try open([Catalogued.Item.self, Catalogued.Shelf.self])
        #expect(try again.objects(of: Catalogued.Shelf.self)[0].items.count == 3)
        #expect(!again.hasChanges)
        #expect(try await again.check().findings == [])
    }

    /// To find the items that lead to a picture, the store reads the records of all items. The
    /// class of each item asks for its own picture, and that picture had all items read again: the
    /// recursion was as deep as there are objects.
    @Test(arguments: [true, false])
    func anUpgradeMayReadWhatIsReadForIt(_ isFromItems: Bool) async throws {
        let count = 3_000
        let old = try open([Renamed.Old.Item.self, Renamed.Old.Media.self])
        for number in 0..<count {
            let (item, media) = (Renamed.Old.Item(), Renamed.Old.Media())
            media.title = "picture \(number)"
            item.picture = media
            old.insert(item)
        }
        try old.save()
        let store = try open([Renamed.Item.self, Renamed.Media.self])
        if isFromItems {
            let items = try store.objects(of: Renamed.Item.self)
            #expect(items.allSatisfy { $0.media?.item === $0 && $0.name == $0.media?.title })
        }
        let media = try store.objects(of: Renamed.Media.self)
        #expect(media.count == count && media.allSatisfy { $0.item?.name == $0.title })
        try store.upgradeAll()
        try store.save()
        let again = try open([Renamed.Item.self, Renamed.Media.self])
        #expect(try again.objects(of: Renamed.Media.self).allSatisfy { $0.item?.media === $0 })
        #expect(try again.upgradeAll() == 0)
        #expect(try await again.check().findings == [])
    }

    /// What a step knew of the shelf is from before the item came to it.
    @Test func aStepThatKnewAnEarlierContentIsNotTakenBackWrongly() async throws {
        struct Stop: Error {}
        let store = try openCatalogued()
        store.undoHistory.isEnabled = true
        let shelf = try #require(try store.objects(of: Catalogued.Shelf.self).first)
        shelf.name = "step"
        #expect(store.undoHistory.canUndo)
        let item = try #require(try store.object(Catalogued.Item.self, rowID: 3))
        #expect(item.shelf === shelf)
        #expect(!store.undoHistory.canUndo)

        #expect(throws: Stop.self) {
            try store.undoHistory.group {
                shelf.name = "group"
                #expect(try store.object(Catalogued.Item.self, rowID: 4)?.shelf === shelf)
                throw Stop()
            }
        }
        #expect(shelf.name == "step")
        let last = try #require(try store.object(Catalogued.Item.self, rowID: 4))
        #expect(last.shelf === shelf && shelf.items.contains { $0 === last })
        try store.save()
        #expect(try await store.check().findings == [])
    }
}
