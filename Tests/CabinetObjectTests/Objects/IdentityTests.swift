import Cabinet
import Foundation
import Testing

@testable import CabinetTestModel

/// With names that the framework uses too.
private final class Ticket: StoredObject {
    @Field var id = UUID()
    @Field var objectID = "seat 4"
}

private func identifier<Object: Identifiable>(of object: Object) -> Object.ID { object.id }

struct IdentityTests {
    let bench = SchemaBench()

    func open() throws -> Store { try bench.open([Tune.self, TuneList.self, Disc.self]) }

    @Test func objectsOfTheSameContentAreTwo() {
        let (one, other) = (Tune("Echoes"), Tune("Echoes"))
        #expect(one != other)
        #expect([one, other].firstIndex(of: other) == 1)
        let set: Set<Tune> = [one, other, one]
        #expect(set.count == 2)
        one.title = "Time"
        #expect(set.contains(one))
    }

    /// A comparison of contents would read the objects.
    @Test func comparingArraysReadsNothing() throws {
        let store = try open()
        let list = TuneList()
        list.tunes = (0..<100).map { Tune("\($0)") }
        store.insert(list)
        try store.save()
        let again = try open()
        let tunes = try #require(try again.objects(of: TuneList.self).first).tunes
        let same = tunes.map { $0 }
        #expect(tunes == same)
        #expect(tunes != same.reversed())
        #expect(Set(tunes).count == 100)
        #expect(tunes.filter { !$0.isFault }.isEmpty)
    }

    @Test func anIDStaysWhileAnObjectIsMadeInsertedSavedAndDropped() throws {
        let store = try open()
        let tune = Tune("Draft")
        let id = tune.id
        #expect(Tune("Draft").id != id)
        store.insert(tune)
        #expect(tune.id == id)
        store.rollback()
        #expect(tune.rowID == 0)
        #expect(tune.id == id)
        store.insert(tune)
        try store.save()
        tune.title = "Saved"
        #expect(tune.id == id)
        try store.save()
        store.dissolveAllRelationships()
        #expect(tune.title == "Saved")
        #expect(tune.id == id)
        try store.delete(tune)
        #expect(tune.id == id)
        try store.save()
        #expect(tune.id == id)
        try store.close()
        #expect(tune.id == id)
    }

    @Test func anIDOfAnObjectInItsStoreIsThatOfItsRow() throws {
        let store = try open()
        let tune = Tune("Inserted")
        store.insert(tune)
        let id = tune.id
        try store.save()
        #expect(tune.id == id)
        let other = Tune("Never saved")
        #expect(other.id != id)
        let list = TuneList()
        store.insert(list)
        #expect(list.rowID == tune.rowID)
        #expect(list.id != id)
    }

    /// Addresses are used again as soon as an object is freed.
    @Test func objectsThatAreFreedInBetweenHaveDifferentIDs() throws {
        let store = try open()
        var made: Set<StoredObject.ID> = []
        for number in 0..<500 {
            let tune = Tune("\(number)")
            made.insert(tune.id)
            store.insert(tune)
            try store.save()
        }
        #expect(made.count == 500)
        var met: Set<StoredObject.ID> = []
        try store.forEach(Tune.self) { met.insert($0.id) }
        #expect(met.count == 500)
        #expect(met.isDisjoint(with: made))
    }

    @Test func aClassMayHaveAnIDOfItsOwn() throws {
        let store = try bench.open([Ticket.self])
        let ticket = Ticket()
        let number: UUID = ticket.id
        store.insert(ticket)
        try store.save()
        let again = try #require(try bench.open([Ticket.self]).objects(of: Ticket.self).first)
        #expect(again.id == number)
        #expect(again.objectID == "seat 4")
        // Generic code sees the framework's.
        #expect(identifier(of: ticket) == (ticket as StoredObject).id)
        #expect((ticket as StoredObject).objectID != nil)
    }
}
