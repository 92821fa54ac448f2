import CabinetBackend
import Testing
import TrustSupport

@testable import CabinetTokyo

struct EntryMergeTests {
    /// Rows of one table from memory, with the source's number as their value.
    private final class Rows: EntrySource {
        private var rows: ArraySlice<RowID>
        private let value: UnsafeMutableRawBufferPointer

        init(_ rows: [RowID], _ number: UInt8) {
            self.rows = rows[...]
            value = .allocate(byteCount: 4, alignment: 4)
            value.storeBytes(of: UInt32(number), as: UInt32.self)
        }

        deinit { value.deallocate() }

        func next() -> TableEntry? {
            rows.popFirst().map {
                TableEntry(table: 2, row: $0, stored: UnsafeRawBufferPointer(value))
            }
        }
    }

    private func merged(_ sources: [[RowID]]) throws -> [(row: RowID, source: UInt8)] {
        let merge = try EntryMerge(
            sources.enumerated().map { Rows($0.element, UInt8($0.offset)) })
        var all: [(row: RowID, source: UInt8)] = []
        while let entry = try merge.next() {
            all.append((entry.row, entry.stored?.first ?? .max))
        }
        return all
    }

    @Test func ofEntriesAboutTheSameRowTheLastSourceCounts() throws {
        let all = try merged([[1, 3, 5, 7], [], [3, 4, 5], [0, 5, 9], [7]])
        #expect(all.map(\.row) == [0, 1, 3, 4, 5, 7, 9])
        #expect(all.map(\.source) == [3, 0, 2, 2, 3, 4, 3])
    }

    @Test func nothingMergesToNothing() throws {
        #expect(try merged([]).isEmpty)
        #expect(try merged([[], []]).isEmpty)
    }

    @Test(arguments: 1...50 as ClosedRange<UInt64>)
    func everyRowComesOnceAndInOrder(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        var last: [RowID: UInt8] = [:]
        var sources: [[RowID]] = []
        for number in 0..<UInt8.random(in: 1...9, using: &random) {
            let rows = Set(
                (0..<Int.random(in: 0...40, using: &random)).map { _ in
                    RowID(UInt32.random(in: 0...60, using: &random))
                })
            for row in rows { last[row] = number }
            sources.append(rows.sorted())
        }
        let all = try merged(sources)
        #expect(all.map(\.row) == last.keys.sorted())
        #expect(all.allSatisfy { last[$0.row] == $0.source })
    }

    @Test func keysSortByTheirBytes() {
        let keys: [[UInt8]] = [
            [], [0], [0, 0], [0, 0, 0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0, 0, 0, 0], [0, 1],
            [97], [97, 0], [97, 98, 99, 100, 101, 102, 103, 104],
            [97, 98, 99, 100, 101, 102, 103, 104, 0], [97, 98, 99, 100, 101, 102, 103, 105], [255],
            [UInt8](repeating: 255, count: 9),
        ]
        for (place, one) in keys.enumerated() {
            for (otherPlace, other) in keys.enumerated() {
                let order = one.withUnsafeBytes { one in
                    other.withUnsafeBytes { other in
                        TableEntry(table: 3, key: one, stored: nil)
                            .order(against: TableEntry(table: 3, key: other, stored: nil))
                    }
                }
                #expect(order.signum() == (place - otherPlace).signum())
            }
        }
    }
}
