import Dispatch
import Synchronization
import Testing

@testable import CabinetTextSearch

/// Values of scalars that are computed when they are asked for.
@Suite("Keys: tables of scalars")
struct ScalarTableTests {
    @Test func aValueIsComputedWhenItIsFirstAskedFor() {
        let asked = Mutex<[UInt32]>([])
        let table = ScalarTable(end: 8) { scalar in
            asked.withLock { $0.append(scalar) }
            return scalar == 3 ? 0 : scalar * 7
        }
        #expect(asked.withLock { $0.isEmpty })
        #expect([table[7], table[3], table[0], table[7], table[3]] == [49, 0, 0, 49, 0])
        #expect(asked.withLock { $0 } == [7, 3, 0])
    }

    @Test func threadsMayAskAtOnce() {
        let table = ScalarTable(end: 5000) { $0 ^ 0x5A5A }
        let wrong = Atomic(0)
        DispatchQueue.concurrentPerform(iterations: 8) { thread in
            for step in UInt32(0)..<5000 {
                let scalar = thread.isMultiple(of: 2) ? step : 4999 - step
                if table[scalar] != scalar ^ 0x5A5A { wrong.add(1, ordering: .relaxed) }
            }
        }
        #expect(wrong.load(ordering: .relaxed) == 0)
    }
}
