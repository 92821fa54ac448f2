import CabinetBackend
import Testing

@testable import Cabinet

/// Steps beside other stores, in one run and across two.
struct StepsBesideOthersTests {
    private static let classes: [StoredObject.Type] = [
        Owner.self, Thing.self, SpecialOwner.self, Handwritten.self,
    ]

    private func open(
        _ container: StoreContainer, _ classes: [StoredObject.Type] = Self.classes
    ) throws -> Store {
        let store = try Store(backend: container.backend, classes: classes)
        store.author = "maria"
        store.undoHistory.survivesRelaunch = true
        return store
    }

    @Test(arguments: [false, true], [false, true])
    func whatOthersHaveDeletedDoesNotComeBack(_ isRelaunch: Bool, _ isRedo: Bool) throws {
        let container = StoreContainer(inMemory: Self.classes)
        var store = try open(container)
        let (owner, thing) = (Owner(), Thing())
        store.insert(owner)
        store.insert(thing)
        try store.save()
        try store.undoHistory.group {
            thing.keeper = owner
            thing.keepers = [owner]
        }
        if isRedo {
            try store.undoHistory.undo()
        } else {
            try store.save()
            try store.undoHistory.group {
                thing.keeper = nil
                thing.keepers = []
            }
        }
        try store.save()
        let id = try #require(thing.objectID)
        if isRelaunch { try store.close() }
        let other = try container.makeStore()
        try other.delete(try other.objects(of: Owner.self)[0])
        try other.save()
        if isRelaunch { store = try open(container) } else { try store.refresh() }
        let same = try #require(try store.object(id))
        #expect(isRedo ? try store.undoHistory.redo() : try store.undoHistory.undo())
        #expect(same.keeper == nil && same.keepers.isEmpty)
        try store.save()
        try other.refresh()
        let saved = try #require(try other.object(id))
        #expect(saved.keeper == nil && saved.keepers.isEmpty)
        // There and back again, it stays out.
        #expect(isRedo ? try store.undoHistory.undo() : try store.undoHistory.redo())
        #expect(isRedo ? try store.undoHistory.redo() : try store.undoHistory.undo())
        #expect(same.keeper == nil && same.keepers.isEmpty)
    }

    @Test(arguments: [false, true])
    func aStepThatKnowsWhatOthersHaveMovedIsTakenBackInALaterRunToo(_ isRelaunch: Bool) throws {
        let container = StoreContainer(inMemory: Self.classes)
        var store = try open(container)
        let (first, second) = (Owner(), Owner())
        let things = [Thing(), Thing()]
        for object in [first, second] as [StoredObject] + things { store.insert(object) }
        for thing in things { thing.owner = first }
        try store.save()
        let id = try #require(second.objectID)
        let other = try container.makeStore()
        for thing in try other.objects(of: Thing.self) { thing.owner = try other.object(id) }
        try other.save()
        try store.refresh()
        let rows = second.things.map(\.rowID)
        second.things.reverse()
        try store.save()
        if isRelaunch {
            try store.close()
            store = try open(container)
        }
        #expect(try store.undoHistory.undo())
        let same = try #require(try store.object(id))
        #expect(same.things.map(\.rowID) == rows && rows.count == 2)
    }

    @Test func stepsOfAClassThatWritesItselfAreTakenBackInALaterRun() throws {
        let container = StoreContainer(inMemory: Self.classes)
        var store = try open(container)
        let object = Handwritten()
        store.insert(object)
        try store.save()
        object.text = "changed"
        try store.save()
        try store.close()
        store = try open(container)
        let same = try #require(try store.objects(of: Handwritten.self).first)
        #expect(try store.undoHistory.undo())
        #expect(same.text == "")
        try store.undoHistory.redo()
        #expect(same.text == "changed")
    }

    @Test func stepsThatLeadToAClassThatIsNotThereAreForgotten() throws {
        let container = StoreContainer(inMemory: Self.classes)
        var store = try open(container)
        let (thing, plain, special) = (Thing(), Owner(), SpecialOwner())
        for object in [thing, plain, special] as [StoredObject] { store.insert(object) }
        thing.keeper = plain
        try store.save()
        try store.undoHistory.group {
            thing.keeper = special
            thing.keepers = [special, plain]
        }
        try store.save()
        try store.undoHistory.group {
            thing.keeper = nil
            thing.keepers = []
        }
        try store.undoHistory.group { thing.name = "last" }
        try store.save()
        try store.close()
        store = try open(container, [Owner.self, Thing.self, Handwritten.self])
        let same = try #require(try store.objects(of: Thing.self).first)
        #expect(try store.undoHistory.undo())
        #expect(same.name == "")
        #expect(try !store.undoHistory.undo())
        #expect(same.fetchError == nil && same.keeper == nil && same.keepers.isEmpty)
        try store.save()
    }
}

private class Owner: StoredObject {
    @Many(inverse: \Thing.owner) var things: [Thing]
}

private final class SpecialOwner: Owner {}

private final class Thing: StoredObject {
    @Field var name = ""
    @One var owner: Owner?
    @One(onDelete: .nullify) var keeper: Owner?
    @Many(onDelete: .nullify) var keepers: [Owner]
}

private final class Handwritten: StoredObject {
    var text = "" { willSet { willChange() } }

    override func writeContent(to buffer: DataBuffer) { buffer.writeString(text) }
    override func readContent(from buffer: DataBuffer) throws { text = try buffer.readString() }
}
