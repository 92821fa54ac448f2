import CabinetBackend
import CabinetMemory
import Testing
import TrustSupport

@testable import Cabinet

/// Lengths of texts whose postings have none, read by chunks of rows.
@Suite("Text indexes: lengths of texts")
struct TextLengthsTests {
    /// How many rows are read at once.
    private static let chunk: UInt32 = 1 << 16

    /// Rows on both sides of the ends of chunks, and the highest ones there are.
    private func rows(_ random: inout SeededRandom) -> [UInt32] {
        let parts: [ClosedRange<UInt32>] = [
            1...40, Self.chunk - 300...Self.chunk + 300, 5 * Self.chunk - 9...5 * Self.chunk + 9,
            UInt32.max - 50...UInt32.max,
        ]
        return parts.joined().filter { _ in random.once(in: 2) }
    }

    @Test("the texts on both sides of a chunk's end have their lengths, in each segment")
    func bothSides() throws {
        var random = SeededRandom(seed: RunSetting.seed)
        let backend = MemoryBackend()
        let table = TableDefinition(number: .firstFree, kind: .ordered, name: "Text.Note.title-1")
        let batch = backend.makeBatch()
        try batch.define(table)
        var lengths: [UInt32: UInt32] = [:]
        for order in UInt64(1)...2 {
            let draft = SegmentDraft(.substring)
            for row in rows(&random) where lengths[row] == nil {
                let length =
                    random.once(in: 60) || lengths.count < 3
                    ? UInt32(65_534 + lengths.count % 3) : UInt32(random.below(20))
                var text = String(repeating: "a", count: Int(length))
                _ = try text.withUTF8 { try draft.add($0, of: RowID(row)) }
                lengths[row] = length
            }
            try draft.write(order: order, to: batch, table.number)
        }
        try backend.commit(batch)
        let snapshot = try TextSnapshot(
            table.number, hasLengths: false, backend)
        #expect(snapshot.segments.count == 2)
        #expect(Set(lengths.values).isSuperset(of: [65_534, 65_535, 65_536]))
        let asked = (lengths.keys + [77, 3 * Self.chunk]).sorted()
        #expect(try snapshot.lengths(of: asked) == asked.map { lengths[$0] ?? 0 })
        // Of chunks that are known already.
        let some = asked.filter { _ in random.once(in: 3) }
        #expect(try snapshot.lengths(of: some) == some.map { lengths[$0] ?? 0 })
    }
}
