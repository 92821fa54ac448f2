import CabinetBackend
import CabinetMemory
import CabinetTestSupport
import Testing

@testable import Cabinet
@testable import CabinetTestModel

/// Upgrades that insert or change other objects. What they set in a relationship with an inverse
/// was lost where the old record did not have it, and each read inserted another copy of what they
/// insert.
struct UpgradingObjectsTests {
    struct Form: CustomTestStringConvertible, Sendable {
        let item: any Pictured.Type
        let media: any Picturing.Type
        let hasInverse: Bool
        var testDescription: String { "\(item)" }

        init(_ item: any Pictured.Type, _ media: any Picturing.Type, hasInverse: Bool = true) {
            (self.item, self.media, self.hasInverse) = (item, media, hasInverse)
        }
    }
    static let forms = [
        Form(PicturedByItem.Item.self, PicturedByItem.Media.self),
        Form(PicturedMany.Item.self, PicturedMany.Media.self),
        Form(PicturedByMedia.Item.self, PicturedByMedia.Media.self),
        Form(PicturedManyByMedia.Item.self, PicturedManyByMedia.Media.self),
        Form(PicturedManyToMany.Item.self, PicturedManyToMany.Media.self),
        Form(PicturedFromOutside.Item.self, PicturedFromOutside.Media.self),
        Form(PicturedLoosely.Item.self, PicturedLoosely.Media.self, hasInverse: false),
    ]

    let backend = MemoryBackend()

    func open(_ classes: [StoredObject.Type]) throws -> Store {
        try Store(backend: backend, classes: classes)
    }
    func open(_ form: Form) throws -> Store { try open([form.item, form.media]) }

    /// Items in rows 2 to 4, each with a picture.
    func writeOld(count: Int = 3) throws {
        let store = try open([Unpictured.Item.self])
        for number in 0..<count {
            let item = Unpictured.Item()
            (item.name, item.artwork) = ("item \(number)", "picture \(number)")
            store.insert(item)
        }
        try store.save()
    }

    func objects<Object: StoredObject>(_ type: Object.Type, _ store: Store) throws -> [Object] {
        try store.objects(of: type)
    }

    /// Sees that each of the items has its own picture, which leads back.
    func check(_ form: Form, _ store: Store, count: Int = 3) async throws {
        let items = try openedItems(form, store)
        let media = try objects(form.media, store)
        #expect(items.map(\.name) == (0..<count).map { "item \($0)" })
        #expect(
            items.map { $0.pictures.map { ($0 as? any Picturing)?.artwork } }
                == (0..<count).map { ["picture \($0)"] })
        #expect(media.count == count)
        if form.hasInverse {
            for item in items {
                #expect(isSame((item.pictures[0] as? any Picturing)?.items ?? [], [item]))
            }
        }
        #expect(try await store.check().findings == [])
    }

    func openedItems(_ form: Form, _ store: Store) throws -> [any Pictured] {
        try objects(form.item, store)
    }

    @Test(arguments: forms)
    func whatAnUpgradeSetsIsSavedOnce(_ form: Form) async throws {
        try writeOld()
        do {
            let store = try open(form)
            #expect(try store.upgradeAll() == 3)
            try store.save()
        }
        let store = try open(form)
        try await check(form, store)
        #expect(!store.hasChanges)
        #expect(try store.upgradeAll() == 0)
    }

    @Test(arguments: forms)
    func readingMarksWhatAnUpgradeChanged(_ form: Form) async throws {
        try writeOld()
        for launch in 0..<3 {
            let store = try open(form)
            _ = try openedItems(form, store)
            #expect(store.hasChanges)
            if launch == 2 { try store.save() }
        }
        // Whatever else it is that is saved.
        let store = try open(form)
        try await check(form, store)
        #expect(!store.hasChanges)
    }

    /// One that is touched alone is saved with what was made for it; the others stay old.
    @Test(arguments: forms)
    func oneObjectAloneIsUpgraded(_ form: Form) async throws {
        try writeOld()
        do {
            let store = try open(form)
            let item = try #require(
                try store.object(form.item, rowID: 3) as StoredObject? as? any Pictured)
            #expect(item.isChanged && item.pictures.count == 1 && item.pictures[0].isInserted)
            let other = form.media.init()
            other.artwork = "other"
            store.insert(other)
            try store.save()
            try store.delete(other)
            try store.save()
        }
        let again = try open(form)
        let item = try #require(
            try again.object(form.item, rowID: 3) as StoredObject? as? any Pictured)
        #expect(!again.hasChanges && item.pictures.count == 1)
        #expect(try again.count(of: form.media) == 1)
        try again.upgradeAll()
        try await check(form, try open(form))
    }

    /// A picture of its own has nothing to do with what undo takes back.
    @Test(arguments: forms)
    func readingIsNoStepOfUndo(_ form: Form) async throws {
        try writeOld()
        let store = try open(form)
        store.undoHistory.isEnabled = true
        let fault = try openedItems(form, store)[0]
        #expect(!store.undoHistory.canUndo)
        fault.name = "new"
        #expect(try store.undoHistory.undo() && !store.undoHistory.canUndo)
        try store.undoHistory.redo()
        try store.save()
        try store.undoHistory.undo()
        try store.save()
        try await check(form, try open(form))
    }

    @Test(arguments: forms)
    func rollbackTakesAnUpgradeBackWhole(_ form: Form) async throws {
        try writeOld()
        let store = try open(form)
        let item = try openedItems(form, store)[0]
        let picture = item.pictures[0]
        store.rollback()
        #expect(picture.rowID == 0 && !store.hasChanges)
        #expect(item.pictures.count == 1 && item.pictures[0] !== picture)
        try store.save()
        try store.upgradeAll()
        try await check(form, try open(form))
    }

    @Test(arguments: forms)
    func aGroupThatThrowsKeepsWhatReadingChanged(_ form: Form) async throws {
        struct Stop: Error {}
        try writeOld()
        let store = try open(form)
        #expect(throws: Stop.self) {
            try store.undoHistory.group {
                for item in try openedItems(form, store) { item.name = "new" }
                throw Stop()
            }
        }
        try store.save()
        try await check(form, try open(form))
    }

    @Test(arguments: forms)
    func pendingChangesAreLeftToTheirOwnSave(_ form: Form) async throws {
        try writeOld()
        let store = try open(form)
        let item = try #require(
            try store.object(form.item, rowID: 2) as StoredObject? as? any Pictured)
        item.name = "pending"
        #expect(try store.upgradeAll() == 0)
        #expect(try openedItems(form, try open(form)).map(\.name)[0] == "item 0")
        item.name = "item 0"
        try store.save()
        try await check(form, try open(form))
    }

    /// The record was upgraded again, and what the first upgrade had inserted was saved as well.
    @Test(arguments: forms, [true, false])
    func aRefreshTakesWhatTheUpgradeMade(_ form: Form, _ isUndoing: Bool) async throws {
        try writeOld()
        let store = try open(form)
        let items = try openedItems(form, store)
        store.undoHistory.isEnabled = isUndoing
        let picture = items[0].pictures[0]
        items[0].name = "dropped"
        for item in items { try store.rollback(item) }
        #expect(items[0].name == "item 0" && items[0].pictures[0] === picture)
        #expect(items[0].isChanged)
        #expect(try store.count(of: form.media) == 3)
        try store.save()
        try await check(form, try open(form))
        // From now on the record is what is read.
        items[0].name = "dropped"
        try store.rollback(items[0])
        #expect(items[0].name == "item 0" && !store.hasChanges)
    }

    /// Nothing is left of an upgrade that was taken back with the step in which it ran.
    @Test(arguments: forms)
    func anUpgradeThatWasTakenBackRunsAgain(_ form: Form) async throws {
        try writeOld()
        let store = try open(form)
        let items = try openedItems(form, store)
        store.rollback()
        for item in items { try store.rollback(item) }
        for item in items { #expect(item.pictures.count == 1) }
        try store.save()
        try await check(form, try open(form))
    }

    /// It left what it had inserted, once for every attempt to read the record.
    @Test func anUpgradeThatThrowsLeavesNothing() throws {
        try writeOld(count: 1)
        let store = try open([PicturedBadly.Item.self, PicturedBadly.Media.self])
        for _ in 0..<3 {
            #expect(throws: StoreError.self) {
                try store.object(PicturedBadly.Item.self, rowID: 2)
            }
        }
        #expect(!store.hasChanges)
        #expect(try store.objects(of: PicturedBadly.Media.self).isEmpty)
        try store.save()
    }

    @Test func aStoreThatCannotBeSavedReadsAllTheSame() throws {
        let temporary = try TemporaryStore([Unpictured.Item.self])
        let item = Unpictured.Item()
        item.artwork = "picture"
        temporary.store.insert(item)
        try temporary.store.save()
        try temporary.store.close()
        let messages = Guarded(0)
        let log = LogSink { _, message in
            // Other tests kill processes, whose copies of views any opening removes.
            if message.hasSuffix("which a killed process had left.") { return }
            messages.withLock { $0 += 1 }
        }
        let store = try Store(
            directory: temporary.directory,
            classes: [PicturedByItem.Item.self, PicturedByItem.Media.self],
            access: .readOnly, log: log)
        let found = try #require(try store.objects(of: PicturedByItem.Item.self).first)
        #expect(found.media?.artwork == "picture" && found.media?.store == nil)
        #expect(!store.hasChanges && messages.withLock { $0 } == 0)
        try store.save()
    }
}
