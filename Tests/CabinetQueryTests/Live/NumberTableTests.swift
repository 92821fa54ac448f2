import Testing
import TrustSupport

@testable import Cabinet

/// A table of numbers is what a dictionary is.
struct NumberTableTests {
    @Test(arguments: RunSetting.seeds(16))
    func theTableIsADictionary(_ seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        var (table, dictionary) = (NumberTable(), [UInt64: Int]())
        // Rows that count up, of two classes, or any numbers at all.
        let isInOrder = random.once(in: 2)
        func number() -> UInt64 {
            isInOrder
                ? UInt64(1 + random.below(2)) << 32 | UInt64(random.below(600))
                : random.next() % 600 &* 0x1234_5678_9ABC
        }
        for step in 0..<RunSetting.repetitions(40_000) {
            let number = number()
            switch random.below(step % 2000 < 1000 ? 3 : 5) {
            case 0, 1:
                table[number] = step
                dictionary[number] = step
            case 2: #expect(table[number] == dictionary[number])
            default:
                table[number] = nil
                dictionary[number] = nil
            }
            #expect(table.count == dictionary.count)
        }
        for (number, place) in dictionary { #expect(table[number] == place) }
        var walked: [UInt64: Int] = [:]
        table.withEach { walked[$0] = $1 }
        #expect(walked == dictionary)
    }

    @Test func aSetHasEachNumberOnce() {
        let set = NumberSet([5, 3, 5, 9, 3])
        #expect(set.all == [3, 5, 9])
        #expect((0...10 as ClosedRange<UInt64>).filter(set.contains) == [3, 5, 9])
        #expect(NumberSet().isEmpty && !NumberSet().contains(0))
    }

    @Test(arguments: RunSetting.seeds(64))
    func aSpliceIsWhatAnArrayBecomes(_ seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let array = (0..<UInt64(random.below(600))).map { $0 * 2 }
        let share = 1 + random.below(40)
        let removed = array.indices.filter { _ in random.once(in: share) }
        var inserted: [(index: Int, number: UInt64)] = []
        for index in 0...array.count where random.once(in: share) {
            for _ in 0..<1 + random.below(2) {
                inserted.append((index, UInt64(inserted.count) * 2 + 1))
            }
        }
        var wanted: [UInt64] = []
        for index in 0...array.count {
            wanted += inserted.filter { $0.index == index }.map(\.number)
            if index < array.count, !removed.contains(index) { wanted.append(array[index]) }
        }
        let splice = RowSplice(removed: removed, inserted: inserted)
        var tree = RowTree(array)
        tree.apply(splice)
        #expect(ListVersion(rows: tree, window: 0..<tree.count).numbers == wanted)
        for (place, entry) in inserted.enumerated() {
            #expect(wanted[splice.newIndex(ofInserted: place)] == entry.number)
        }
        for index in array.indices where !removed.contains(index) {
            #expect(wanted[splice.newIndex(of: index)] == array[index])
        }
    }
}
