import Cabinet
import CabinetMemory
import Testing

@testable import CabinetTestModel

/// Objects that delete each other in a circle, and one that forbids it.
final class Ring: StoredObject {
    @Field var name = ""
    @One(onDelete: .cascade) var next: Ring?
    @Many(onDelete: .cascade) var spokes: [Ring]
    @One(onDelete: .deny) var lock: Ring?
}

struct DeclaredDeleteTests {
    let backend = MemoryBackend()

    func open() throws -> Store { try Store(backend: backend, classes: tunes + [Ring.self]) }

    func ring(_ store: Store, _ count: Int) throws -> [Ring] {
        let rings = (0..<count).map { number in
            let ring = Ring()
            ring.name = "\(number)"
            return ring
        }
        for (index, ring) in rings.enumerated() {
            ring.next = rings[(index + 1) % count]
            ring.spokes = [rings[(index + 2) % count], ring, ring]
            store.insert(ring)
        }
        try store.save()
        return rings
    }

    @Test func aCircleOfCascadesEnds() throws {
        let store = try open()
        store.undoHistory.isEnabled = true
        let rings = try ring(store, 5)
        let preview = try store.previewDelete(rings[3])
        #expect(preview.deleted.count == 5 && preview.deleted.first === rings[3])
        #expect(Set(preview.deleted.map(\.rowID)).count == 5 && !store.hasChanges)
        try store.delete(rings[3])
        #expect(rings.map(\.isDeleted) == [true, true, true, true, true])
        try store.save()
        #expect(try open().count(of: Ring.self) == 0)
        try store.undoHistory.undo()
        #expect(rings.map(\.spokes.count) == [3, 3, 3, 3, 3] && !rings[0].isDeleted)
        #expect(rings[4].next === rings[0] && rings[4].spokes[0] === rings[1])
        try store.save()
        let again = try open().objects(of: Ring.self)
        #expect(again.map(\.name) == rings.map(\.name) && again[4].next === again[0])
        store.dissolveAllRelationships()
    }

    @Test func aDenialAtTheEndOfAChainTakesAllBack() throws {
        let store = try open()
        let (rings, outside) = (try ring(store, 4), Ring())
        rings[2].lock = outside
        try store.save()
        let error = #expect(throws: StoreError.self) { try store.delete(rings[1]) }
        guard case .deniedByRule(let name, let row, let field, let by) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(name == "Ring" && field == "lock" && row == rings[2].rowID)
        #expect(by == ["Ring \(outside.rowID)"])
        #expect(rings.map(\.isDeleted) == [false, false, false, false] && !store.hasChanges)
        #expect(rings.map(\.spokes.count) == [3, 3, 3, 3])
        let preview = try store.previewDelete(rings[1])
        #expect(preview.denial is StoreError && !store.hasChanges)
        store.dissolveAllRelationships()
    }

    /// It was denied or not, by the order in which the rules met the two.
    @Test(arguments: 0..<4)
    func whoGoesTooDeniesNothing(_ first: Int) throws {
        let store = try open()
        let rings = try ring(store, 4)
        rings[2].lock = rings[0]
        try store.save()
        try store.delete(rings[first])
        #expect(rings.map(\.isDeleted) == [true, true, true, true])
        try store.save()
        store.dissolveAllRelationships()
    }

    @Test func editingADeletedObjectIsHarmless() throws {
        let store = try open()
        store.undoHistory.isEnabled = true
        let (list, other, tune) = (TuneList(), TuneList(), Tune("t"))
        let disc = Disc()
        list.tunes = [tune, tune]
        tune.album = disc
        for object in [list, other, disc] { store.insert(object) }
        try store.save()
        try store.delete(tune)
        tune.title = "edited"
        tune.lists = [other]
        tune.lists.append(list)
        tune.album = nil
        #expect(tune.isDeleted && other.tunes.isEmpty && list.tunes.isEmpty)
        let new = Disc()
        tune.album = new
        #expect(new.store == nil && new.tracks.isEmpty)
        try store.save()
        #expect(tune.isDeleted && tune.title == "edited")
        #expect(try store.count(of: Tune.self) == 0)
        try store.undoHistory.undo()
        #expect(!tune.isDeleted && tune.title == "t" && tune.album === disc)
        #expect(list.tunes.count == 2 && disc.tracks.count == 1 && tune.lists.first === list)
        #expect(other.tunes.isEmpty)
    }

    /// The disc could not lead back, and would not know of it when its delete is undone.
    @Test func whatIsDeletedIsNotReferredToAnew() throws {
        let store = try open()
        let (disc, tune, list) = (Disc(), Tune("t"), TuneList())
        for object in [disc, tune, list] { store.insert(object) }
        try store.save()
        store.undoHistory.isEnabled = true
        try store.delete(disc)
        tune.album = disc
        #expect(tune.album == nil)
        try store.delete(tune)
        list.tunes = [tune, tune]
        #expect(list.tunes.isEmpty)
        while try store.undoHistory.undo() {}
        #expect(!disc.isDeleted && !tune.isDeleted && disc.tracks.isEmpty && list.tunes.isEmpty)
    }

    @Test func aDeleteReconcilesEditsFirst() throws {
        let store = try open()
        let (one, two, tune) = (TuneList(), TuneList(), Tune("t"))
        for object in [one, two, tune] { store.insert(object) }
        try store.save()
        one.tunes.append(tune)
        two.tunes += [tune, tune]
        try store.delete(one)
        #expect(tune.lists.map(\.rowID) == [two.rowID])
        try store.delete(tune)
        #expect(two.tunes.isEmpty)
        try store.save()
        #expect(try open().objects(of: TuneList.self).map(\.tunes.count) == [0])
    }
}
