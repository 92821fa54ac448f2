import CabinetBackend
import Foundation
import Testing
import TrustSupport

@testable import CabinetTokyo

/// Many rows that are looked up with one call give what each of them has.
struct RowLookupTests {
    let directory = ScratchDirectory()
    let files = SystemFiles()

    private func text(of row: RowID) -> String {
        String(repeating: "\(row.rawValue) ", count: 1 + Int(row.rawValue) % 40)
    }

    /// A table of every third row up to 3,000, in a file that is open for writing.
    private func makeTable(_ name: String, buckets: Int64, isLarge: Bool = false) throws -> Table {
        var sizing = HashSizing(count: 100, bytes: 0)
        (sizing.buckets, sizing.isLarge) = (buckets, isLarge)
        let file = try HashFile(
            making: directory.file(name), sizing, room: 16 << 20, files: files)
        let table = Table(
            CatalogEntry(.song), files, lastCommit: 0, highestRow: 0, view: .hash(file))
        let batch = WriteBatch()
        for row in stride(from: UInt32(3), through: 3_000, by: 3) {
            try batch.put(text(of: RowID(row)), at: RowID(row), in: table.number)
        }
        var applier = Applier(highest: table.number)
        applier.add(table)
        Array(batch.chunk()[WriteBatch.headroom...]).withUnsafeBytes { applier.apply($0) }
        #expect(applier.failed.isEmpty)
        file.noteGrowth()
        return table
    }

    /// What is found of some rows, and where damage was met.
    private func look(
        _ rows: ArraySlice<RowID>, in table: Table
    ) throws -> (found: [RowID: [UInt8]], damage: [RowID]) {
        let run = RecordRun()
        var lookup = RowLookup(rows, in: table, try table.hash())
        var damage: [RowID] = []
        for place in rows.indices where lookup.append(place, to: run) != nil {
            damage.append(rows[place])
        }
        var found: [RowID: [UInt8]] = [:]
        while let (row, value) = run.next() { found[row] = Array(value) }
        return (found, damage)
    }

    private func expected(_ row: RowID) -> [UInt8]? {
        guard row.rawValue >= 3, row.rawValue <= 3_000, row.rawValue % 3 == 0 else { return nil }
        return Array(text(of: row).utf8)
    }

    /// Few buckets make deep trees, in which rows are not found at once. Some rows are looked up one by
    /// one: what is found ahead of a look-up differs by their number.
    @Test(arguments: [1, 50, 4_093], [false, true])
    func everyRowIsFoundAndNoOther(_ buckets: Int64, _ isLarge: Bool) throws {
        let table = try makeTable("table", buckets: buckets, isLarge: isLarge)
        let all = (1...3_100).map { RowID(UInt32($0)) }
        var random = SeededRandom(seed: 7)
        let orders = [all, all.reversed(), all.shuffled(using: &random)]
        for rows in orders + [Array(all[..<7]), Array(all[..<8]), Array(all[..<33])] {
            let (found, damage) = try look(rows[...], in: table)
            #expect(damage.isEmpty)
            for row in rows { #expect(found[row] == expected(row)) }
        }
        // A part of rows, whose first place is not 0.
        let part = orders[2][1_001..<1_500]
        let (found, _) = try look(part, in: table)
        #expect(found.count == part.count { expected($0) != nil })
    }

    /// Rows that are passed over, as a reader of an older commit does, are not looked up.
    @Test func placesMayBePassedOver() throws {
        let table = try makeTable("table", buckets: 50)
        let rows = (1...3_100).map { RowID(UInt32($0)) }
        for step in [2, 7, 40, 500] {
            let run = RecordRun()
            var lookup = RowLookup(rows[...], in: table, try table.hash())
            var wanted: [RowID] = []
            for place in stride(from: step, to: rows.count, by: step) {
                #expect(lookup.append(place, to: run) == nil)
                if expected(rows[place]) != nil { wanted.append(rows[place]) }
            }
            var found: [RowID] = []
            while let (row, value) = run.next() {
                #expect(Array(value) == expected(row))
                found.append(row)
            }
            #expect(found == wanted)
        }
    }

    /// Bytes of a damaged file lead anywhere: what is found is right all the same, or damage.
    @Test func damageIsMetAndNothingWrongIsFound() throws {
        let table = try makeTable("whole", buckets: 300)
        let file = try table.hash()
        let image = file.image
        let (first, size) = (Int(image.firstRecord), Int(image.end))
        try file.endWriting()
        let whole = [UInt8](try Data(contentsOf: URL(fileURLWithPath: file.path)))
        let rows = stride(from: UInt32(3), through: 3_000, by: 3).map { RowID($0) }
        var random = SeededRandom(seed: 11)
        var met = 0
        for round in 0..<60 {
            var bytes = whole
            for _ in 0..<20 {
                // Links of buckets, then records.
                let range = round % 3 == 0 ? 256..<256 + 300 * 4 : first..<size
                bytes[Int.random(in: range, using: &random)] = .random(
                    in: .min ... .max, using: &random)
            }
            let path = directory.file("damaged\(round)")
            try Data(bytes).write(to: URL(fileURLWithPath: path))
            let damaged = try #require(try HashFile(reading: path, files: files))
            let view = Table(
                CatalogEntry(.song), files, lastCommit: 0, highestRow: 0, view: .hash(damaged))
            let (found, damage) = try look(rows[...], in: view)
            for (row, value) in found { #expect(value == expected(row)) }
            met += damage.count
        }
        #expect(met > 0)
    }
}
