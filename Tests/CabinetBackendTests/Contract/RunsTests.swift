import CabinetBackend
import Testing

struct RunsTests {
    @Test func rowsComeBackInTheOrderOfTheirAdding() {
        let run = RecordRun()
        #expect(run.isEmpty && run.next() == nil)
        let values: [[UInt8]] = [[1, 2], [], [3]]
        for (row, value) in zip([9, 4, 9] as [RowID], values) {
            value.withUnsafeBytes { run.append(row, $0) }
        }
        var found: [(RowID, [UInt8])] = []
        while let (row, value) = run.next() { found.append((row, Array(value))) }
        #expect(found.map(\.0) == [9, 4, 9])
        #expect(found.map(\.1) == values)
        #expect(!run.isEmpty && run.next() == nil)
        run.removeAll()
        #expect(run.isEmpty)
    }

    @Test func keysComeBackInTheOrderOfTheirAdding() {
        let run = EntryRun()
        let entries: [([UInt8], [UInt8])] = [([2], [1, 2]), ([], []), ([1, 1], [3])]
        for (key, value) in entries {
            key.withUnsafeBytes { key in value.withUnsafeBytes { run.append(key, $0) } }
        }
        var found: [([UInt8], [UInt8])] = []
        while let (key, value) = run.next() { found.append((Array(key), Array(value))) }
        #expect(found.map(\.0) == entries.map(\.0))
        #expect(found.map(\.1) == entries.map(\.1))
    }

    @Test func aRunIsFullAt256KiBAndTakesALargerValueWhole() {
        let run = RecordRun()
        let large = [UInt8](repeating: 7, count: 3 << 20)
        #expect(!run.isFull)
        large.withUnsafeBytes { run.append(2, $0) }
        #expect(run.isFull)
        #expect(run.next().map { Array($0.value) == large } == true)
        run.removeAll()
        #expect(!run.isFull)
    }
}
