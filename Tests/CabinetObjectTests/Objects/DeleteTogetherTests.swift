import Cabinet
import CabinetMemory
import Foundation
import Testing
import TrustSupport

/// Relationships of one class with all rules.
final class Strand: StoredObject {
    @Field var number = 0
    @Many(onDelete: .cascade) var parts: [Strand]
    @Many(onDelete: .cascadeWhenLastReference) var shared: [Strand]
    @One(onDelete: .deny) var needed: Strand?
    @One(onDelete: .nullify) var favorite: Strand?
    @One var up: Strand?
    @Many(inverse: \Strand.up, onDelete: .deny) var children: [Strand]
    @Many(inverse: \Strand.lovers) var loved: [Strand]
    @Many var lovers: [Strand]

    /// What is deleted before it, by its own call.
    var assistants: [Strand] = []

    override func prepareForDelete() throws {
        for assistant in assistants { try store?.delete(assistant) }
    }

    var targets: [Strand] {
        parts + shared + [needed, favorite, up].compactMap(\.self) + children + loved + lovers
    }
}

/// Rules are judged by what stays when all that is deleted together is gone.
struct DeleteTogetherTests {
    let backend = MemoryBackend()

    private func strands(_ count: Int, in store: Store) -> [Strand] {
        (0..<count).map { number in
            let strand = Strand()
            strand.number = number
            store.insert(strand)
            return strand
        }
    }

    /// The first one denied it, because of those that were to go after it.
    @Test func aTreeThatDeniesGoesWhole() throws {
        let store = try Store(backend: backend, classes: [Strand.self])
        let all = strands(4, in: store)
        (all[0].children, all[1].children) = ([all[1], all[2]], [all[3]])
        try store.save()
        #expect(throws: StoreError.self) { try store.delete(all[0]) }
        #expect(throws: StoreError.self) { try store.delete(contentsOf: [all[0], all[1], all[2]]) }
        #expect(throws: StoreError.self) {
            try store.query(Strand.self).filter(#Predicate { $0.number < 3 }).delete()
        }
        #expect(!store.hasChanges && all[0].children.count == 2)
        try store.query(Strand.self).filter(#Predicate { $0.number < 4 }).delete()
        store.rollback()
        try store.delete(contentsOf: [all[1], all[3]])
        store.rollback()
        try store.deleteAll(of: Strand.self)
        try store.save()
        #expect(try store.count(of: Strand.self) == 0)
    }

    @Test func aDeleteFromWithinMayCountOnTheOneAroundIt() throws {
        let store = try Store(backend: backend, classes: [Strand.self])
        let all = strands(2, in: store)
        all[0].assistants = [all[1]]
        all[1].needed = all[0]
        try store.save()
        try store.delete(all[0])
        #expect(all.map(\.isDeleted) == [true, true])
    }

    @Test func anObjectOfNoStoreStopsAll() throws {
        let store = try Store(backend: backend, classes: [Strand.self])
        let all = strands(1, in: store)
        #expect(throws: StoreError.notInStore(class: "Strand")) {
            try store.delete(contentsOf: [all[0], Strand()])
        }
        #expect(!all[0].isDeleted)
        try store.delete(contentsOf: [Strand]())
    }

    @Test(arguments: RunSetting.seeds(120))
    func theyGoAsTheRulesSay(_ seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let store = try Store(backend: backend, classes: [Strand.self])
        store.undoHistory.isEnabled = seed % 3 == 0
        let all = strands(10, in: store)
        let density = random.below(12) + 2
        for _ in 0..<density * 2 {
            let (one, other) = (all[random.below(10)], all[random.below(10)])
            switch random.below(8) {
            case 0: one.parts.append(other)
            case 1, 2: one.shared.append(other)
            case 3: one.needed = random.once(in: 2) ? other : nil
            case 4: one.favorite = other
            case 5: other.up = one
            case 6: one.loved.append(other)
            default: one.children.append(other)
            }
        }
        try store.save()
        var chosen: [Strand] = []
        for _ in 0...random.below(5) {
            let strand = all[random.below(10)]
            if !chosen.contains(where: { $0 === strand }) { chosen.append(strand) }
        }
        let isAll = random.once(in: 6)
        let doomed = Self.doomed(isAll ? all : chosen, among: all)
        let before = all.map { $0.targets.map(\.number) }
        let numbers = chosen.map(\.number)
        do {
            switch random.below(2) {
            case _ where isAll: try store.deleteAll(of: Strand.self)
            case _ where chosen.count == 1: try store.delete(chosen[0])
            case 0: try store.delete(contentsOf: chosen)
            default:
                try store.query(Strand.self).filter(#Predicate { numbers.contains($0.number) })
                    .delete()
            }
            let gone = try #require(doomed, "seed \(seed): it should have been denied")
            #expect(all.filter(\.isDeleted).map(\.number) == gone.sorted(), "seed \(seed)")
            try store.save()
            #expect(try store.count(of: Strand.self) == 10 - gone.count)
            if seed % 3 == 0 {
                try store.undoHistory.undo()
                #expect(all.map { $0.targets.map(\.number) } == before, "seed \(seed)")
            }
        } catch StoreError.deniedByRule {
            #expect(doomed == nil, "seed \(seed): it was denied")
            #expect(all.map { $0.targets.map(\.number) } == before && !store.hasChanges)
        }
        store.dissolveAllRelationships()
    }

    /// The numbers of what goes with `chosen`; `nil` if that is denied.
    private static func doomed(_ chosen: [Strand], among all: [Strand]) -> Set<Int>? {
        var gone = Set(chosen.map(\.number))
        while true {
            let size = gone.count
            for number in gone { gone.formUnion(all[number].parts.map(\.number)) }
            let stayers = all.filter { !gone.contains($0.number) }
            let referred = Set(stayers.flatMap { $0.targets.map(\.number) })
            for number in gone where size == gone.count {
                let free = all[number].shared.map(\.number).filter { !referred.contains($0) }
                gone.formUnion(free)
            }
            if gone.count == size { break }
        }
        let isDenied = gone.contains { number in
            let needed = (all[number].children + [all[number].needed].compactMap(\.self))
            return needed.contains { !gone.contains($0.number) }
        }
        return isDenied ? nil : gone
    }
}
