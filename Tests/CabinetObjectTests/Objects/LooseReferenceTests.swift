import CabinetMemory
import CabinetTestSupport
import Foundation
import Testing
import TrustSupport

@testable import Cabinet
@testable import CabinetTestModel

private final class Border: StoredObject {
    @Field var name = ""
    @Many(inverse: \Seedling.bed, onDelete: .noAction) var sprouts: [Seedling]
}

private final class Seedling: StoredObject {
    @Field var name = ""
    @One var bed: Border?
    override class var indexes: [Index] { [.ordered(\Seedling.bed)] }
}

/// A reference to a deleted object, out of which nothing takes it, is `nil` from the moment of the delete.
struct LooseReferenceTests {
    private let backend = MemoryBackend()

    private func open() throws -> Store {
        try Store(backend: backend, classes: Garden.classes)
    }

    /// Plants 0 to 9: the even ones stand in pot 0, the others in pot 1, but for the last two.
    private func fill(_ store: Store) throws -> (pots: [Pot], plants: [Plant]) {
        let pots = [Pot(0), Amphora(1), Pot(2)]
        for pot in pots { store.insert(pot) }
        let plants = (0..<10).map { number in
            let plant = Plant()
            (plant.number, plant.kind) = (number, number % 3)
            if number < 8 { plant.pot = pots[number % 2] }
            plant.spare = pots[2]
            plant.others = [pots[0], pots[1], pots[0]]
            return plant
        }
        for plant in plants { store.insert(plant) }
        try store.save()
        return (pots, plants)
    }

    private func unpotted(_ store: Store) throws -> [Int] {
        let query = ObjectQuery<Plant>(
            where: #Predicate { $0.pot == nil }, sortedBy: [.ascending(\.number)])
        let found = try store.fetch(query).map(\.number)
        #expect(try store.query(query).count() == found.count)
        #expect(try store.query(Plant.self).filter(text: "pot = nil").count() == found.count)
        let others = #Predicate<Plant> { $0.pot != nil }
        #expect(try store.count(of: Plant.self, where: others) == 10 - found.count)
        let groups = try store.query(Plant.self).groups(by: \.pot, .count)
        #expect(groups.first { $0.key == nil }?.results == found.count)
        return found
    }

    private func expectSound(_ store: Store) async throws {
        let report = try await store.check()
        #expect(report.isSound, "\(report.findings)")
    }

    @Test func aDeletedTargetIsNilAtOnceAndBackAfterARollback() async throws {
        let store = try open()
        let (pots, plants) = try fill(store)
        #expect(try unpotted(store) == [8, 9])
        try store.delete(pots[0])
        #expect(plants[0].pot == nil && plants[1].pot === pots[1])
        #expect(plants[0].others == [pots[1]] && plants[0].spare === pots[2])
        #expect(try unpotted(store) == [0, 2, 4, 6, 8, 9])
        #expect(!plants[0].isChanged)
        store.rollback()
        #expect(plants[0].pot === pots[0] && plants[0].others == [pots[0], pots[1], pots[0]])
        #expect(try unpotted(store) == [8, 9])
        try store.delete(pots[0])
        try store.save()
        #expect(try unpotted(store) == [0, 2, 4, 6, 8, 9])
        try await expectSound(store)
    }

    /// Of a relationship with an inverse, a delete takes the object out, also where its rule is to do nothing
    /// with the other side.
    @Test func anInverseHasNoDeletedObjectWhateverItsRule() async throws {
        let backend = MemoryBackend()
        let container = StoreContainer(backend: backend, classes: [Border.self, Seedling.self])
        let store = try container.makeStore()
        let (bed, sprout) = (Border(), Seedling())
        store.insert(bed)
        bed.sprouts = [sprout]
        try store.save()
        try store.delete(bed)
        #expect(sprout.bed == nil && !sprout.isDeleted)
        try store.save()
        #expect(try store.count(of: Seedling.self, where: #Predicate { $0.bed == nil }) == 1)
        let other = try container.makeStore()
        #expect(try other.objects(of: Seedling.self).allSatisfy { $0.bed == nil })
        #expect(try await store.check().isSound)
        try other.close()
        try store.close()
        try container.close()
    }

    @Test func aProgramThatNeverSawTheTargetFindsNone() async throws {
        let former = try open()
        let (pots, _) = try fill(former)
        try former.delete(pots[0])
        try former.save()
        let store = try open()
        #expect(try unpotted(store) == [0, 2, 4, 6, 8, 9])
        let plant = try #require(try store.query(Plant.self).filter(text: "number = 4").first())
        #expect(plant.pot == nil && plant.others.map(\.name) == [1])
        #expect(try plant.frozen()["pot"] == FieldValue.none)
        // Whatever is written of it, indexes and records stay in step.
        plant.kind = 7
        try store.save()
        #expect(try unpotted(store) == [0, 2, 4, 6, 8, 9])
        try await expectSound(store)
    }

    @Test func jsonSaysNull() throws {
        let store = try open()
        let (pots, plants) = try fill(store)
        try store.delete(pots[0])
        let directory = try TemporaryDirectory()
        let url = URL(fileURLWithPath: directory.path + "/plants.json")
        for _ in 0..<2 {
            try store.json.export([Plant.self], to: url)
            let text = try String(contentsOf: url, encoding: .utf8)
            #expect(text.contains(#""number":0,"kind":0,"pot":null"#), "\(text)")
            let object = String(decoding: try JSONEncoder().encode(plants[0]), as: UTF8.self)
            #expect(!object.contains(#""pot""#))
            try store.save()
        }
    }

    @Test func undoBringsTheReferenceBackWhateverWasSavedMeanwhile() async throws {
        let store = try open()
        store.undoHistory.isEnabled = true
        let (pots, plants) = try fill(store)
        store.undoHistory.removeAll()
        plants[0].kind = 5
        try store.delete(pots[0])
        try store.save()
        #expect(plants[0].pot == nil && plants[0].others == [pots[1]])
        try store.undoHistory.undo()
        #expect(plants[0].pot === pots[0] && plants[2].others.count == 3)
        #expect(try unpotted(store) == [8, 9])
        try store.save()
        let again = try open()
        #expect(try unpotted(again) == [8, 9])
        #expect(
            try again.query(Plant.self).filter(text: "number = 0").first()?.others.map(\.name) == [
                0, 1, 0,
            ])
        try await expectSound(again)
    }

    @Test func aTargetThatWasNeverSavedComesBackIntoRecords() throws {
        let store = try open()
        store.undoHistory.isEnabled = true
        let (_, plants) = try fill(store)
        let pot = Pot(9)
        plants[9].pot = pot
        plants[9].others.append(pot)
        try store.delete(pot)
        #expect(plants[9].pot == nil)
        try store.save()
        try store.undoHistory.undo()
        #expect(plants[9].pot === pot)
        try store.save()
        let again = try open()
        #expect(try again.query(Plant.self).filter(text: "number = 9").first()?.pot?.name == 9)
        #expect(
            try again.query(Plant.self).filter(text: "number = 9").first()?.others.last?.name == 9)
    }

    @Test func anEditIsOfWhatIsSeen() throws {
        let store = try open()
        let (pots, plants) = try fill(store)
        plants[0].others.append(pots[2])
        try store.delete(pots[0])
        plants[0].others.remove(at: 0)
        #expect(plants[0].others == [pots[2]])
        plants[1].others.swapAt(0, 0)
        #expect(plants[1].others == [pots[1]])
        plants[0].pot = nil
        #expect(plants[0].isChanged)
        try store.save()
        let again = try open()
        #expect(
            try again.query(Plant.self).filter(text: "number = 0").first()?.others.map(\.name) == [
                2
            ])
    }

    @Test func whatAnotherStoreDeletesIsNilOnceItIsTakenUp() async throws {
        let (one, other) = (try open(), try open())
        let (pots, plants) = try fill(one)
        try other.refresh()
        #expect(try unpotted(other) == [8, 9])
        let held = try #require(try other.query(Plant.self).filter(text: "number = 2").first())
        #expect(held.pot?.name == 0)
        try one.delete(pots[0])
        try one.save()
        #expect(held.pot?.name == 0)
        #expect(try unpotted(other) == [8, 9])
        try other.refresh()
        #expect(held.pot == nil && held.others.map(\.name) == [1])
        #expect(try unpotted(other) == [0, 2, 4, 6, 8, 9])
        // A reference that is saved beside a delete is none, or no delete.
        plants[9].pot = pots[2]
        let spare = try #require(try other.objects(of: Pot.self).first { $0.name == 2 })
        try other.delete(spare)
        try other.save()
        #expect(throws: StoreError.self) { try one.save() }
        one.rollback()
        try one.refresh()
        #expect(plants[9].pot == nil && plants[9].spare == nil)
        #expect(try unpotted(one) == [0, 2, 4, 6, 8, 9])
        try await expectSound(one)
    }

    @Test func noObjectHasADeletedTarget() throws {
        let store = try open()
        let (pots, _) = try fill(store)
        let (row, id) = (pots[0].rowID, pots[0].id)
        // The amphora has the same row in its own table.
        #expect(pots[1].rowID == row)
        let byRow = #Predicate<Plant> { $0.pot?.rowID == row }
        let byID = #Predicate<Plant> { $0.pot?.id == id }
        #expect(try store.count(of: Plant.self, where: byRow) == 8)
        try store.delete(pots[0])
        for _ in 0..<2 {
            #expect(try store.count(of: Plant.self, where: byRow) == 4)
            #expect(try store.count(of: Plant.self, where: byID) == 0)
            #expect(try !store.query(Plant.self).filter(byID).exists())
            #expect(try store.count(of: Plant.self, where: #Predicate { $0.pot?.id != id }) == 10)
            try store.save()
        }
    }

    @Test func queriesForNoneStillUseTheirIndex() throws {
        let store = try open()
        let (pots, _) = try fill(store)
        for number in 10..<400 {
            let plant = Plant()
            (plant.number, plant.pot) = (number, pots[1])
            store.insert(plant)
        }
        try store.save()
        try store.delete(pots[0])
        try store.save()
        let query = ObjectQuery<Plant>(where: #Predicate { $0.pot == nil })
        #expect(try store.query(query).count() == 6)
        let plan = try store.query(query).explain().description
        #expect(plan.contains("index pot of Plant"), "\(plan)")
    }
}
