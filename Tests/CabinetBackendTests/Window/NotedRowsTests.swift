import Testing

@testable import CabinetBackend

struct NotedRowsTests {
    /// Small numbers that follow from a seed.
    private struct Numbers {
        var state: UInt64

        mutating func next(below limit: UInt64) -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return (state >> 33) % limit
        }
    }

    @Test func rowsAreWhatADictionaryHolds() throws {
        let rows = NotedRows()
        var model: [RowID: [UInt8]] = [:]
        var numbers = Numbers(state: 5)
        for round in 0..<4 {
            for _ in 0..<3000 {
                let row = RowID(UInt32(numbers.next(below: 2000) * [1, 997, 2_000_000][round % 3]))
                let size = Int(1 + numbers.next(below: numbers.next(below: 50) == 0 ? 9000 : 60))
                let value = [UInt8](repeating: UInt8(numbers.next(below: 256)), count: size)
                value.withUnsafeBytes { rows.put($0, at: row) }
                model[row] = value
            }
            #expect(rows.count == model.count)
            for (row, value) in model { #expect(rows.value(of: row).map { Array($0) } == value) }
            #expect(rows.value(of: 1_999_999) == nil)
            var met: [RowID] = []
            var next = 0
            while let (row, value) = rows.first(from: next) {
                #expect(Array(value) == model[row])
                met.append(row)
                next = row.index + 1
            }
            #expect(met == model.keys.sorted())
            var found = 0
            try rows.forEachRow { row, value in
                found += model[row].map { $0.count } == value.count ? 1 : 0
            }
            #expect(found == model.count)
            rows.removeAll()
            model = [:]
            #expect(rows.count == 0 && rows.value(of: 5) == nil && rows.first(from: 0) == nil)
        }
    }
}
