import CabinetBackend
import Testing
import TrustSupport

@testable import Cabinet
@testable import CabinetTestModel

@Suite("The table of objects by row")
struct UniquingTableTests {
    /// All rows of a table and their objects, by a walk.
    private func all(_ table: borrowing UniquingTable) -> [(row: Int, object: StoredObject)] {
        var found: [(row: Int, object: StoredObject)] = []
        var row = 0
        while let next = table.next(from: row) {
            found.append(next)
            row = next.row + 1
        }
        return found
    }

    @Test(
        "objects that come and go, alone in their 128 rows or not, are where they were put",
        arguments: [300, 20_000])
    func model(rows: Int) {
        var random = SeededRandom(seed: UInt64(rows))
        var table = UniquingTable()
        var model: [Int: StoredObject] = [:]
        for step in 0..<20_000 {
            // Grows at first, then shrinks, so that pages come and go.
            let row = 1 + random.below(rows)
            let mayGrow = random.below(10) < (step < 8_000 ? 8 : 3)
            if let known = model[row] {
                #expect(table[RowID(UInt32(row))] === known)
                guard !mayGrow else { continue }
                // Another object does not empty the row.
                table.remove(Song(), at: RowID(UInt32(row)))
                #expect(table[RowID(UInt32(row))] === known)
                table.remove(known, at: RowID(UInt32(row)))
                model[row] = nil
            } else if mayGrow {
                let song = Song()
                table.insert(song, at: RowID(UInt32(row)))
                model[row] = song
            }
            #expect(table[RowID(UInt32(row))] === model[row])
            #expect(table.count == model.count)
            guard step % 1000 == 0 else { continue }
            let walked = all(table)
            #expect(walked.map(\.row) == model.keys.sorted())
            #expect(walked.allSatisfy { model[$0.row] === $0.object })
        }
        var left = Set(model.values.map { ObjectIdentifier($0) })
        table.removeAll { left.remove(ObjectIdentifier($0)) }
        #expect(left.isEmpty && table.count == 0 && table.next(from: 0) == nil)
    }

    @Test("the neighbours of an only object have none")
    func onlyObject() {
        var table = UniquingTable()
        let (one, other) = (Song(), Song())
        table.insert(one, at: 200)
        for row in 1..<400 { #expect((table[RowID(UInt32(row))] === one) == (row == 200)) }
        #expect(table[RowID(1 << 30)] == nil)
        table.remove(one, at: 201)
        #expect(table[200] === one && table.count == 1)
        table.insert(other, at: 255)
        #expect(table[200] === one && table[255] === other && table[254] == nil)
        table.remove(one, at: 200)
        table.remove(other, at: 255)
        #expect(table[200] == nil && table[255] == nil && table.count == 0)
        table.insert(other, at: 128)
        #expect(table[128] === other && table[255] == nil && table[200] == nil)
    }
}
