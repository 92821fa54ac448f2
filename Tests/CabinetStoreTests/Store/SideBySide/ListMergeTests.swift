import CabinetTestSupport
import Testing
import TrustSupport

@testable import Cabinet

struct ListMergeTests {
    private func merge(_ base: String, _ mine: String, _ theirs: String) -> String {
        String(ListMerge(base: Array(base), mine: Array(mine), theirs: Array(theirs)).result)
    }

    @Test(arguments: [
        ("a", "ax", "ay", "ayx"), ("ab", "axb", "ayb", "ayxb"), ("", "x", "y", "yx"),
        ("abc", "ac", "abc", "ac"), ("abc", "abc", "ac", "ac"), ("abc", "bc", "ab", "b"),
        ("abc", "cab", "abc", "cab"), ("abc", "abc", "cab", "cab"),
        ("abc", "cab", "bca", "cba"), ("ab", "abx", "xab", "xab"), ("ab", "xab", "b", "xb"),
        ("abcd", "abdc", "xabcdy", "xabdcy"), ("aa", "aaa", "a", "aa"), ("abc", "", "abcx", "x"),
    ])
    func bothUsersEditsAreInTheResult(
        _ base: String, _ mine: String, _ theirs: String, _ wanted: String
    ) {
        #expect(merge(base, mine, theirs) == wanted)
    }

    /// Elements, presence and order, checked against the definition.
    @Test func whatEitherSideDidHoldsForEveryElement() {
        var random = SeededRandom(seed: 41)
        for _ in 0..<2000 {
            let base = Array(0..<Int.random(in: 0...8, using: &random))
            let mine = edited(base, adding: 100, &random)
            let theirs = edited(base, adding: 200, &random)
            let result = ListMerge(base: base, mine: mine, theirs: theirs).result
            #expect(Set(result).count == result.count)
            let wanted = Set(base).filter { mine.contains($0) && theirs.contains($0) }
                .union(Set(mine).subtracting(base)).union(Set(theirs).subtracting(base))
            #expect(Set(result) == wanted)
            // A side that has moved nothing leaves the other one's order.
            let kept = mine.filter(base.contains)
            if kept == kept.sorted() {
                #expect(result.filter(theirs.contains) == theirs.filter(wanted.contains))
            }
            let left = theirs.filter(base.contains)
            if left == left.sorted() {
                #expect(result.filter(mine.contains) == mine.filter(wanted.contains))
            }
        }
    }

    private func edited(_ base: [Int], adding first: Int, _ random: inout SeededRandom) -> [Int] {
        var list = base.filter { _ in Int.random(in: 0..<4, using: &random) > 0 }
        for added in 0..<Int.random(in: 0...3, using: &random) {
            list.insert(first + added, at: Int.random(in: 0...list.count, using: &random))
        }
        if Bool.random(using: &random), let moved = list.indices.randomElement(using: &random) {
            let element = list.remove(at: moved)
            list.insert(element, at: Int.random(in: 0...list.count, using: &random))
        }
        return list
    }
}
