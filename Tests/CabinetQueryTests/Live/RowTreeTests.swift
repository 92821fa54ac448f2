import Testing
import TrustSupport

@testable import Cabinet

/// A tree of rows is what an array is, and its copies stay as they are.
struct RowTreeTests {
    @Test(arguments: RunSetting.seeds(16))
    func theTreeIsAnArray(_ seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        var array = (0..<UInt64(random.below(40_000)))
            .map { $0 * 2 }
        var tree = RowTree(array)
        var copies: [(RowTree, [UInt64])] = []
        var next: UInt64 = 1
        for step in 0..<3000 {
            if random.once(in: step < 1500 ? 3 : 2), !array.isEmpty {
                let index = random.below(array.count)
                array.remove(at: index)
                tree.remove(at: index)
            } else {
                let index = random.below(array.count + 1)
                array.insert(next, at: index)
                tree.insert(next, at: index)
                next += 2
            }
            if random.once(in: 300) { copies.append((tree, array)) }
        }
        copies.append((tree, array))
        for (tree, array) in copies {
            #expect(tree.count == array.count)
            var walked: [UInt64] = []
            tree.forEach(in: 0..<tree.count) { walked.append($0) }
            #expect(walked == array)
            if array.isEmpty { continue }
            let index = random.below(array.count)
            #expect(tree[index] == array[index])
        }
        // What is not shared holds what differs.
        let (one, other) = (copies[0], copies[copies.count - 1])
        var differing: Set<UInt64> = []
        other.0.forEach(notSharedWith: one.0) { differing.insert($1) }
        #expect(Set(other.1).subtracting(one.1).isSubset(of: differing))
        tree.truncate(to: min(10, array.count))
        #expect(tree.count == min(10, array.count))
        if array.count >= 10 { #expect(tree[9] == array[9]) }
    }

    @Test func numbersInOrderAreFoundByHalving() {
        let numbers = (0..<20_000 as Range<UInt64>).map { $0 * 3 }
        let tree = RowTree(numbers)
        for wanted in [0, 1, 3, 29_999, 30_000, 59_997, 59_998, 70_000 as UInt64] {
            #expect(tree.partition { $0 < wanted } == numbers.filter { $0 < wanted }.count)
        }
        #expect(RowTree().partition { _ in true } == 0)
    }
}
