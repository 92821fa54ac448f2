import CabinetMemory
import Foundation
import Testing
import TrustSupport

@testable import Cabinet
@testable import CabinetTestModel

/// Two stores with pots and what refers to them, beside a model in plain Swift that keeps all references and
/// passes over those to pots that are gone.
final class GardenModel {
    /// What one plant or weed refers to, by the names of pots, gone ones too.
    struct Roots: Equatable {
        var pot: Int?
        var spare: Int?
        var others: [Int] = []
    }

    struct State {
        var pots: Set<Int> = []
        var plants: [Int: Roots] = [:]
        var weeds: [Int: Roots] = [:]
    }

    /// A store, and what it must show.
    private final class Place {
        var store: Store
        var state: State
        /// What it showed before each step that can be undone.
        var undoable: [State] = []

        init(_ store: Store, _ state: State) { (self.store, self.state) = (store, state) }
    }

    private let backend = MemoryBackend()
    private var places: [Place] = []
    private var committed = State()
    private var random: SeededRandom
    private var next = 0
    private var steps = 0

    init(seed: UInt64) throws {
        random = SeededRandom(seed: seed)
        for _ in 0..<2 { places.append(Place(try open(), State())) }
    }

    private func open() throws -> Store {
        let store = try Store(backend: backend, classes: Garden.classes)
        store.undoHistory.isEnabled = true
        return store
    }

    // MARK: Steps

    func step() throws {
        let place = places[random.below(2)]
        switch random.below(12) {
        case 0: try advance(place)
        case 1: try reopen(place)
        default: try edit(place)
        }
    }

    private func advance(_ place: Place) throws {
        let basis = place.store.basis
        guard try place.store.refresh() != basis else { return }
        // What undo takes back, others may have changed.
        place.store.undoHistory.removeAll()
        (place.undoable, place.state) = ([], committed)
    }

    private func reopen(_ place: Place) throws {
        try save(place)
        let store = try open()
        try place.store.close()
        (place.store, place.undoable, place.state) = (store, [], committed)
    }

    private func save(_ place: Place) throws {
        guard place.store.hasChanges else { return }
        try place.store.save()
        committed = place.state
    }

    /// Some changes of one store, after which nothing is pending: so stores never meet in conflicts, and
    /// one may lag behind the other.
    private func edit(_ place: Place) throws {
        try advance(place)
        for _ in 0...random.below(6) {
            if random.once(in: 5), !place.undoable.isEmpty {
                #expect(try place.store.undoHistory.undo())
                place.state = place.undoable.removeLast()
            } else {
                let before = place.state
                var state = before
                steps += 1
                try place.store.undoHistory.group("\(steps)") { try change(place, &state) }
                if place.store.undoHistory.undoName == "\(steps)" { place.undoable.append(before) }
                place.state = state
            }
            try compare(place)
            if random.once(in: 3) { try save(place) }
        }
        if random.once(in: 4) {
            place.store.rollback()
            place.store.undoHistory.removeAll()
            (place.state, place.undoable) = (committed, [])
        }
        try save(place)
    }

    private func change(_ place: Place, _ state: inout State) throws {
        let store = place.store
        let pots = try store.fetch(
            ObjectQuery<Pot>(sortedBy: [.ascending(\.name)], includingSubclasses: true))
        switch random.below(10) {
        case 0, 1:
            let pot = random.once(in: 2) ? Pot(next) : Amphora(next)
            store.insert(pot)
            state.pots.insert(next)
            next += 1
        case 2, 3:
            guard let pot = pots.randomElement(using: &random) else { return }
            state.pots.remove(pot.name)
            try store.delete(pot)
        case 4:
            guard pots.count > 1 else { return }
            let doomed = pots.shuffled(using: &random).prefix(1 + random.below(pots.count - 1))
            for pot in doomed { state.pots.remove(pot.name) }
            try store.delete(contentsOf: Array(doomed))
        case 5: try change(Plant.self, store, pots, &state.plants, state.pots) { $0.kind = 1 }
        case 6: try change(Weed.self, store, pots, &state.weeds, state.pots) { _ in }
        case 7: try change(Plant.self, store, pots, &state.plants, state.pots) { $0.kind = 2 }
        default:
            if random.once(in: 2) {
                add(Plant(), store, pots, &state.plants)
            } else {
                add(Weed(), store, pots, &state.weeds)
            }
        }
    }

    private func add<Object: Potted>(
        _ object: Object, _ store: Store, _ pots: [Pot], _ roots: inout [Int: Roots]
    ) {
        let (pot, spare) = (pots.randomElement(using: &random), pots.randomElement(using: &random))
        object.number = next
        next += 1
        (object.pot, object.spare) = (pot, spare)
        object.others = some(of: pots)
        roots[object.number] = Roots(
            pot: pot?.name, spare: spare?.name, others: object.others.map(\.name))
        store.insert(object)
    }

    private func some(of pots: [Pot]) -> [Pot] {
        Array(pots.shuffled(using: &random).prefix(random.below(4)))
    }

    /// Edits or deletes one object.
    private func change<Object: Potted>(
        _ type: Object.Type, _ store: Store, _ pots: [Pot], _ roots: inout [Int: Roots],
        _ alive: Set<Int>, _ touch: (Object) -> Void
    ) throws {
        let all = try store.objects(of: type)
        guard let object = all.randomElement(using: &random), let its = roots[object.number] else {
            return
        }
        let number = object.number
        switch random.below(6) {
        case 0:
            try store.delete(object)
            roots[number] = nil
        case 1:
            let pot = pots.randomElement(using: &random)
            object.pot = pot
            roots[number]?.pot = pot?.name
        case 2:
            object.spare = nil
            roots[number]?.spare = nil
        case 3:
            object.others = some(of: pots)
            roots[number]?.others = object.others.map(\.name)
        case 4:
            let seen = its.others.filter(alive.contains)
            guard !seen.isEmpty else { return }
            let place = random.below(seen.count)
            object.others.remove(at: place)
            var left = seen
            left.remove(at: place)
            roots[number]?.others = left
        default: touch(object)
        }
    }

    // MARK: Comparing

    func compareAll() async throws {
        for place in places { try compare(place) }
        try compare(Place(try open(), committed))
        let report = try await places[0].store.check()
        #expect(report.isSound, "\(report.findings)")
    }

    private func compare(_ place: Place) throws {
        try compare(Plant.self, place.store, place.state.plants, place.state.pots)
        try compare(Weed.self, place.store, place.state.weeds, place.state.pots)
        try compareIndexed(place)
    }

    private func compare<Object: Potted>(
        _ type: Object.Type, _ store: Store, _ roots: [Int: Roots], _ alive: Set<Int>
    ) throws {
        func seen(_ name: Int?) -> Int? { name.flatMap { alive.contains($0) ? $0 : nil } }
        // By what records say, before anything is read.
        let query = try ObjectQuery<Object>().filter(text: "pot = nil ORDER BY number")
        let none = roots.filter { seen($0.value.pot) == nil }.keys.sorted()
        #expect(try store.query(query).count() == none.count)
        #expect(try store.query(query).exists() == !none.isEmpty)
        #expect(try store.fetch(query).map(\.number) == none)
        let some = try ObjectQuery<Object>().filter(text: "pot != nil ORDER BY number LIMIT 3")
        #expect(
            try store.fetch(some).map(\.number)
                == Array(Set(roots.keys).subtracting(none).sorted().prefix(3)))
        let spares = try store.query(type).filter(text: "spare = nil").count()
        #expect(spares == roots.values.count { seen($0.spare) == nil })
        for object in try store.objects(of: type) {
            let its = try #require(roots[object.number])
            #expect(object.pot?.name == seen(its.pot))
            #expect((object.spare as? Pot)?.name == seen(its.spare))
            #expect(object.others.map(\.name) == its.others.filter(alive.contains))
            if seen(its.pot) == nil { #expect(try object.frozen()["pot"] == FieldValue.none) }
        }
        #expect(try store.count(of: type) == roots.count)
    }

    private func compareIndexed(_ place: Place) throws {
        let (store, alive) = (place.store, place.state.pots)
        func seen(_ roots: Roots) -> Int? { roots.pot.flatMap { alive.contains($0) ? $0 : nil } }
        let plants = place.state.plants
        let none = plants.values.count { seen($0) == nil }
        #expect(try store.count(of: Plant.self, where: #Predicate { $0.pot == nil }) == none)
        #expect(
            try store.count(of: Plant.self, where: #Predicate { $0.pot != nil }) == plants.count
                - none)
        #expect(
            try store.count(of: Plant.self, where: #Predicate { !($0.pot == nil) })
                == plants.count - none)
        #expect(
            try store.count(of: Plant.self, where: #Predicate { $0.pot == nil && $0.kind >= 0 })
                == none)
        #expect(
            try store.count(of: Plant.self, where: #Predicate { $0.kind == 0 && $0.pot == nil })
                == store.objects(of: Plant.self).count { $0.kind == 0 && $0.pot == nil })
        let groups = try store.query(Plant.self).groups(by: \.pot, .count)
        let expected = Dictionary(grouping: plants.values, by: seen).mapValues(\.count)
        #expect(groups.count == expected.count)
        for group in groups { #expect(group.results == expected[group.key?.name]) }
        for pot in try store.fetch(ObjectQuery<Pot>(includingSubclasses: true)) {
            let (id, name) = (pot.id, pot.name)
            let count = plants.values.count { seen($0) == name }
            #expect(
                try store.count(of: Plant.self, where: #Predicate { $0.pot?.id == id }) == count)
        }
    }
}

struct GardenModelTests {
    @Test(arguments: RunSetting.seeds(24))
    func referencesToDeletedObjectsAreNil(_ seed: UInt64) async throws {
        let model = try GardenModel(seed: seed)
        do {
            for _ in 0..<12 {
                try model.step()
                try await model.compareAll()
            }
        } catch {
            Issue.record("seed \(seed): \(error)")
        }
    }
}
