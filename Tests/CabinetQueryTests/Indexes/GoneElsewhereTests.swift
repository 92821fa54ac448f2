import Cabinet
import Foundation
import Testing
import TrustSupport

/// An object that is edited here and was deleted by another store is left out of every query until the conflict
/// is resolved, whichever way the query is answered.
@MainActor
struct GoneElsewhereTests {
    final class Stone: StoredObject {
        @Field var weight = 0
        @Field var kind = 0
        @Field var marks: [Int] = []
        override class var indexes: [Index] {
            [.ordered(\Stone.weight), .ordered(\Stone.kind), .elements(of: \Stone.marks)]
        }
    }

    private func expectAgreement(_ store: Store, _ limit: Int, _ context: String) throws {
        let all = try store.objects(of: Stone.self)
        let kept = all.filter { $0.weight > limit }.sorted {
            ($0.weight, $0.rowID) < ($1.weight, $1.rowID)
        }
        let stones = store.query(Stone.self)
        let query = stones.filter(#Predicate { $0.weight > limit })
        let sorted = query.sorted(by: \.weight)
        let found = try sorted.objects()
        #expect(found.elementsEqual(kept, by: ===), "\(context)")
        #expect(try query.objects().count == kept.count, "\(context)")
        #expect(try query.count() == kept.count, "\(context)")
        #expect(try query.sum(\.weight) == kept.reduce(0) { $0 + $1.weight }, "\(context)")
        #expect(try stones.sum(\.weight) == all.reduce(0) { $0 + $1.weight }, "\(context)")
        #expect(try sorted.limit(3).first() === kept.first, "\(context)")
        #expect(try sorted.values(\.weight) == kept.map(\.weight), "\(context)")
        #expect(
            try stones.distinctValues(of: \.kind) == Set(all.map(\.kind)).sorted(), "\(context)")
        #expect(
            try stones.filter(#Predicate { $0.marks.contains(1) }).count()
                == all.count { $0.marks.contains(1) }, "\(context)")
        for (rank, stone) in kept.enumerated() where rank % 4 == 0 {
            #expect(try sorted.rank(of: stone) == rank, "\(context)")
        }
    }

    @Test func queriesAgreeWithAFilter() throws {
        for part in 0..<UInt64(RunSetting.repetitions(60)) {
            var random = SeededRandom(seed: RunSetting.seed, part: part)
            let container = StoreContainer(inMemory: [Stone.self])
            let (store, other) = (try container.makeStore(), try container.makeStore())
            for number in 0..<60 {
                let stone = Stone()
                (stone.weight, stone.kind, stone.marks) = (number, number % 7, [number % 5])
                store.insert(stone)
            }
            try store.save()
            try store.indexes.build()
            for turn in 0..<8 {
                let mine = try store.objects(of: Stone.self)
                for _ in 0..<random.below(4) {
                    let stone = mine[random.below(mine.count)]
                    stone.weight = random.below(120)
                    stone.kind = random.below(9)
                    stone.marks = [random.below(5)]
                }
                if random.once(in: 3) { try store.delete(mine[random.below(mine.count)]) }
                try other.refresh()
                let theirs = try other.objects(of: Stone.self)
                var gone: [ObjectID<Stone>] = []
                for _ in 0..<random.below(4) {
                    let stone = theirs[random.below(theirs.count)]
                    guard !stone.isDeleted, let id = stone.objectID else { continue }
                    gone.append(id)
                    try other.delete(stone)
                }
                try other.save()
                let held = mine.filter { stone in gone.contains { $0 == stone.objectID } }
                try store.refresh()
                let context = "part \(part), turn \(turn)"
                try expectAgreement(store, random.below(60), context)
                for stone in held {
                    #expect(try store.query(Stone.self).sorted(by: \.weight).rank(of: stone) == nil)
                }
                if random.once(in: 2) {
                    try store.save(onConflict: random.once(in: 2) ? .mine : .theirs)
                    try expectAgreement(store, random.below(60), context + ", saved")
                }
            }
        }
    }
}
