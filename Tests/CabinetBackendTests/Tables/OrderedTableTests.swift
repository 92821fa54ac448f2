import Testing
import TrustSupport

@testable import CabinetBackend

struct OrderedTableTests {
    /// Keys that begin alike, are shorter than the bytes compared first, or end in zeros.
    private func randomKey(_ numbers: inout some RandomNumberGenerator) -> [UInt8] {
        let prefix = [[], [0], [0x61, 0x61, 0x61, 0x61], [UInt8](repeating: 0x62, count: 9)]
        let count = Int.random(in: 0...10, using: &numbers)
        return (prefix.randomElement(using: &numbers) ?? [])
            + (0..<count).map { _ in [0, 1, 0x61, 255].randomElement(using: &numbers) ?? 0 }
    }

    @Test(arguments: RunSetting.seeds(3))
    func keysAreInTheOrderOfTheirBytesThroughSplitsAndMerges(_ seed: UInt64) {
        var numbers = SeededRandom(seed: seed)
        let table = OrderedTable()
        var model: [[UInt8]: [UInt8]] = [:]
        for step in 0..<12_000 {
            let key = randomKey(&numbers)
            // It grows to many leaves, shrinks to few, and grows again.
            let removes = Int.random(in: 0..<10, using: &numbers) < (step / 4000 == 1 ? 9 : 2)
            key.withUnsafeBytes { bytes in
                if removes {
                    table.delete(bytes)
                    model[key] = nil
                } else {
                    let value = [UInt8](repeating: 7, count: step % 40)
                    value.withUnsafeBytes { table.put($0, for: bytes) }
                    model[key] = value
                }
            }
        }
        let wanted = model.keys.sorted { $0.lexicographicallyPrecedes($1) }
        #expect(keys(of: table) == wanted)
        #expect(table.count == wanted.count)
        for _ in 0..<200 {
            let range = KeyRange(from: randomKey(&numbers), to: randomKey(&numbers))
            let inside = wanted.count {
                !$0.lexicographicallyPrecedes(range.lower ?? [])
                    && $0.lexicographicallyPrecedes(range.upper ?? [])
            }
            #expect(table.count(in: range) == inside)
        }
        for key in wanted {
            let found = key.withUnsafeBytes { table.value(for: $0).map { Array($0) } }
            #expect(found == model[key])
        }
        for key in wanted { key.withUnsafeBytes { table.delete($0) } }
        #expect(table.count == 0 && keys(of: table).isEmpty)
    }

    private func keys(of table: OrderedTable) -> [[UInt8]] {
        let run = EntryRun()
        var keys: [[UInt8]] = []
        var start: Bound?
        while true {
            run.removeAll()
            let last = table.fill(run, limit: .max, from: start, before: nil)
            while let (key, _) = run.next() { keys.append(Array(key)) }
            guard let last else { return keys }
            start = Bound(key: last, isPassed: true)
        }
    }
}
