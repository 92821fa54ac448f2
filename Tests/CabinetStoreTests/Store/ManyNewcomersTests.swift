import Foundation
import Testing
import TrustSupport

@testable import Cabinet

/// Lists whose objects come and go from the other side, many at a time, compared with arrays of numbers.
@Suite("Relationships: many newcomers at a time")
struct ManyNewcomersTests {
    final class Crate: StoredObject {
        @Field var number = 0
        @Many(inverse: \Bottle.crate) var bottles: [Bottle]
    }

    final class Bottle: StoredObject {
        @Field var number = 0
        @One var crate: Crate?
    }

    let directory = ScratchDirectory()

    private func open() throws -> Store {
        try Store(
            directory: URL(fileURLWithPath: directory.file("Store")),
            classes: [Crate.self, Bottle.self], durability: .process)
    }

    /// Those that stay keep their order, and newcomers stand behind them, each once.
    private func check(_ crate: Crate, _ staying: [Int], _ coming: Set<Int>) {
        let numbers = crate.bottles.map(\.number)
        #expect(Array(numbers.prefix(staying.count)) == staying)
        #expect(numbers.count == staying.count + coming.count)
        #expect(Set(numbers.dropFirst(staying.count)) == coming)
    }

    @Test(arguments: RunSetting.seeds(8))
    func eachStandsWhereItBelongsAndOnce(_ seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let store = try open()
        store.undoHistory.isEnabled = seed % 3 == 0
        let crates = (0..<3).map { number in
            let crate = Crate()
            crate.number = number
            store.insert(crate)
            return crate
        }
        var bottles: [Bottle] = []
        var lists: [[Int]] = [[], [], []]
        for _ in 0..<40 {
            var coming: [Set<Int>] = [[], [], []]
            var touched: Set<Int> = []
            for _ in 0..<random.below(60) {
                let isNew = bottles.isEmpty || random.once(in: 3)
                let number = isNew ? bottles.count : random.below(bottles.count)
                guard touched.insert(number).inserted else { continue }
                if isNew {
                    let bottle = Bottle()
                    bottle.number = number
                    store.insert(bottle)
                    bottles.append(bottle)
                }
                let place = random.below(4)
                let former = lists.firstIndex { $0.contains(number) }
                bottles[number].crate = place < 3 ? crates[place] : nil
                if former == place { continue }
                if let former { lists[former].removeAll { $0 == number } }
                if place < 3 { coming[place].insert(number) }
            }
            if random.once(in: 2) { try store.save() }
            for place in 0..<3 {
                check(crates[place], lists[place], coming[place])
                lists[place] = crates[place].bottles.map(\.number)
            }
        }
        try store.save()
        try store.close()
        let again = try open()
        for crate in try again.objects(of: Crate.self) {
            #expect(crate.bottles.map(\.number) == lists[crate.number])
            for bottle in crate.bottles { #expect(bottle.crate === crate) }
        }
        try again.close()
    }
}
