import Testing
import TrustSupport

@testable import Cabinet

struct KeySetTests {
    @Test(arguments: 1...4 as ClosedRange<UInt64>)
    func itHoldsWhatWasInserted(_ seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var set = KeySet()
        var model = Set<UInt64>()
        // Rows in a sequence, as they are given out, and of some classes.
        func key() -> UInt64 {
            UInt64(1 + random.below(3)) << 32 | UInt64(1 + random.below(5_000))
        }
        for _ in 0..<10_000 {
            let (new, asked) = (key(), key())
            set.insert(new)
            model.insert(new)
            let (hasNew, hasAsked) = (set.contains(new), set.contains(asked))
            #expect(hasNew)
            #expect(hasAsked == model.contains(asked))
        }
        var missing = 0
        for key in model where !set.contains(key) { missing += 1 }
        let hasNone = set.contains(0)
        #expect(missing == 0)
        #expect(!hasNone)
    }
}
