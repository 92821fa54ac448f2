import CabinetBackend
import CabinetMemory
import Testing

@testable import Cabinet
@testable import CabinetTestModel

/// An engine may lose the answer to a commit: the store then asks what became of it before it goes on.
struct UnknownOutcomeTests {
    final class Item: StoredObject {
        @Field var number = 0
        override class var storageName: String { "Item" }
        override class var indexes: [Index] { [.unique(\Item.number)] }
        convenience init(_ number: Int) {
            self.init()
            self.number = number
        }
    }

    /// A store with items 0 to 3, of which it has changed one, deleted one and inserted two when the answer
    /// to its save is lost.
    private struct Case {
        let backend: FaultyBackend
        let store: Store
        let other: Store?
        let items: [Item]

        init(isMade: Bool, isBeside: Bool) throws {
            backend = FaultyBackend(isolatesCommits: true)
            store = try Store(backend: backend, classes: [Item.self])
            other = isBeside ? try Store(backend: backend, classes: [Item.self]) : nil
            var items = (0..<4).map(Item.init)
            items.forEach(store.insert)
            try store.save()
            items[1].number = 11
            try store.delete(items[2])
            for number in [20, 21] {
                items.append(Item(number))
                store.insert(items[items.count - 1])
            }
            store.namedBuffers["note"] = DataBuffer()
            self.items = items
            backend.order { $0.losesAnswer = isMade }
            #expect(throws: BackendError.outcomeUnknown(token: 100)) { try store.save() }
        }

        /// The numbers that another store finds.
        func saved() throws -> [Int] {
            try Store(backend: backend.inner, classes: [Item.self]).objects(of: Item.self)
                .map(\.number).sorted()
        }
    }

    @Test(arguments: [true, false], [true, false])
    func aStoreGoesOnAsSavedOrAsNotSaved(_ isMade: Bool, _ isBeside: Bool) throws {
        let example = try Case(isMade: isMade, isBeside: isBeside)
        let (store, items) = (example.store, example.items)
        #expect(try store.count(of: Item.self) == 5)
        #expect(store.hasChanges == !isMade)
        try store.save()
        #expect(try example.saved() == [0, 3, 11, 20, 21])
        #expect(!store.hasChanges)
        items[4].number = 40
        try store.delete(items[5])
        try store.save()
        #expect(try example.saved() == [0, 3, 11, 40])
        #expect(try store.indexFindings().isEmpty)
        #expect(try store.namedBuffers.all() == ["note"])
    }

    @Test(arguments: [true, false], [true, false])
    func editsThatFollowAreKept(_ isMade: Bool, _ isBeside: Bool) throws {
        let example = try Case(isMade: isMade, isBeside: isBeside)
        let (store, items) = (example.store, example.items)
        items[1].number = 12
        items[3].number = 33
        items[4].number = 44
        store.insert(Item(50))
        try store.save()
        #expect(try example.saved() == [0, 12, 21, 33, 44, 50])
        #expect(try store.indexFindings().isEmpty)
    }

    @Test(arguments: [true, false], [true, false])
    func savesAreRefusedUntilItIsKnown(_ isMade: Bool, _ isBeside: Bool) throws {
        let example = try Case(isMade: isMade, isBeside: isBeside)
        let store = example.store
        example.backend.order { $0.isCutOff = true }
        let unknown = BackendError.outcomeUnknown(token: 100)
        #expect(throws: unknown) { try store.save() }
        #expect(throws: unknown) { try store.refresh() }
        #expect(throws: unknown) { try store.upgradeAll(of: Item.self) }
        #expect(example.items[1].number == 11)
        example.items[0].number = 7
        #expect(throws: unknown) { try store.save() }
        example.backend.order { $0.isCutOff = false }
        try store.save()
        #expect(try example.saved() == [3, 7, 11, 20, 21])
    }

    @Test(arguments: [true, false])
    func whatOthersSaveMeanwhileIsTakenUp(_ isMade: Bool) throws {
        let example = try Case(isMade: isMade, isBeside: true)
        let other = try #require(example.other)
        other.insert(Item(70))
        try other.save()
        example.items[4].number = 44
        try example.store.save()
        #expect(try example.saved() == [0, 3, 11, 21, 44, 70])
        #expect(try example.store.count(of: Item.self) == 6)
        #expect(try example.store.indexFindings().isEmpty)
    }

    @Test(arguments: [true, false])
    func aRollbackThenKeepsWhatWasSaved(_ isMade: Bool) throws {
        let example = try Case(isMade: isMade, isBeside: false)
        example.store.rollback()
        #expect(!example.store.hasChanges)
        let wanted = isMade ? [0, 3, 11, 20, 21] : [0, 1, 2, 3]
        #expect(try example.store.objects(of: Item.self).map(\.number).sorted() == wanted)
        #expect(try example.saved() == wanted)
    }

    @Test(arguments: [true, false])
    func aStoreThatDoesNotKnowCloses(_ isMade: Bool) throws {
        let example = try Case(isMade: isMade, isBeside: true)
        example.backend.order { $0.isCutOff = true }
        try example.store.close()
        #expect(try example.saved() == (isMade ? [0, 3, 11, 20, 21] : [0, 1, 2, 3]))
    }

    @Test(arguments: [true, false])
    func aSaveInTheBackgroundFindsItOut(_ isMade: Bool) async throws {
        let backend = FaultyBackend(isolatesCommits: true)
        let store = try Store(backend: backend, classes: [Item.self])
        store.insert(Item(1))
        backend.order { $0.losesAnswer = isMade }
        try await store.saveInBackground()
        #expect(!store.hasChanges)
        #expect(try backend.inner.lastCommit() == 1)
        #expect(try store.count(of: Item.self) == 1)
    }
}
