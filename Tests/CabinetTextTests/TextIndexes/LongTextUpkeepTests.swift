import CabinetBackend
import CabinetTestSupport
import Foundation
import Testing
import TrustSupport

@testable import Cabinet

/// Upkeep of few long texts, and of indexes whose entries are not what a program writes.
@Suite("Text indexes: upkeep of strange indexes")
struct LongTextUpkeepTests {
    /// 512 rows make a segment; so do a few long ones, as each search would take them apart.
    @Test("a few long texts make a segment")
    func longTexts() throws {
        let temporary = try TemporaryStore([SearchedNote.self])
        let store = temporary.store
        for number in 0..<24 {
            let words = (0..<12_000).map { "word\(number * 7 + $0)" }.joined(separator: " ")
            store.insert(SearchedNote("note \(number)", words))
            try store.save()
        }
        try store.indexes.build()
        let body = try #require(
            try store.searchableTexts(of: store.registered(SearchedNote.self), nil, named: "body")
                .first)
        let snapshot = try #require(try body.snapshot(store.readerForWalk()))
        #expect(!snapshot.segments.isEmpty)
        #expect(snapshot.unmerged.count < 24)
        #expect(try store.search(SearchedNote.self, "word0", in: \.body).totalCount == 1)
        #expect(try store.indexFindings().isEmpty)
    }

    /// Longer keys were read as if they ended where a program's keys do, but were not deleted: upkeep went on
    /// for ever.
    @Test("keys of other lengths are damage", arguments: [TextKeys.Kind.segment, .unmerged, .gone])
    func longKeys(kind: TextKeys.Kind) throws {
        let temporary = try TemporaryStore([SearchedNote.self])
        let store = temporary.store
        for number in 0..<300 { store.insert(SearchedNote("note \(number)")) }
        try store.save()
        let title = try #require(
            try store.searchableTexts(of: store.registered(SearchedNote.self), \SearchedNote.title)
                .first)
        let table = try #require(title.table)
        let batch = store.backend.makeBatch()
        for number in UInt32(1)...8 {
            let buffer = DataBuffer()
            if kind == .segment {
                SegmentHead(number, order: 1, rows: 0, length: 0, postings: 0).write(to: buffer)
            } else {
                buffer.writeUInt8(0)
            }
            let key = TextKeys.key(kind, number, 7) + [1]
            try batch.put(buffer.withUnsafeBytes { Array($0) }, for: key, in: table)
        }
        try store.backend.commit(batch)
        try temporary.reopen()
        let reopened = temporary.store
        try reopened.keepTexts(unmergedLimit: 1)
        #expect(try reopened.search(SearchedNote.self, "note", in: \.title).totalCount == 300)
        #expect(try reopened.indexFindings().isEmpty)
    }

    @Test("rows that repeat are no rows of a list")
    func repeatedRows() throws {
        let seven = [UInt32](repeating: 7, count: 8)
        #expect(RowList.intersection(seven, [7, 8]).count <= 2)
        #expect(RowList.intersection([7, 8], seven).count <= 2)
    }

    /// A few bytes stood for terms of gigabytes.
    @Test("a term that is longer than any is damage")
    func longTerms() throws {
        var block: [UInt8] = []
        var length: UInt32 = 0
        for _ in 0..<400 {
            Varint.append(length, to: &block)
            Varint.append(1, to: &block)
            block.append(0x61)
            Varint.append(1, to: &block)
            length += 1
        }
        #expect(throws: DataBufferError.self) {
            try block.withUnsafeBytes { try TermBlock.forEachTerm(in: $0) { _, _ in true } }
        }
    }

    /// With two indexes, the work said that it had ended after the first.
    @Test("progress is of all indexes together, and ends with the work")
    func progress() throws {
        let temporary = try TemporaryStore([PlainNote.self])
        for number in 0..<2000 {
            let note = PlainNote()
            (note.title, note.body, note.code) = ("title \(number)", "body \(number)", "\(number)")
            temporary.store.insert(note)
        }
        try temporary.store.save()
        let store = try temporary.reopen([SearchedNote.self])
        let progress = Progress(totalUnitCount: 7)
        try store.indexes.build(progress: progress)
        #expect(progress.isFinished)
        #expect(progress.totalUnitCount == 6000 || progress.totalUnitCount == 1)
    }

    @Test func aSearchIsExplained() throws {
        let temporary = try TemporaryStore([SearchedNote.self])
        let store = temporary.store
        for number in 0..<300 { store.insert(SearchedNote("blue \(number)")) }
        try store.save()
        let plan = try store.query(SearchedNote.self).explainSearch(
            SearchQuery("blue"), in: \.title)
        #expect("\(plan)" == "search title for blue: 300 rows")
        let typed = try store.query(SearchedNote.self).explainSearch(SearchQuery(typed: "blue"))
        #expect("\(typed)" == "search title, body, code for blue: 300 rows")
        let narrowed = try store.query(SearchedNote.self).filter(#Predicate { $0.year > 1 })
            .explainSearch(SearchQuery("blue"))
        #expect("\(narrowed)".contains("year > 1: 0 rows"))
        let hits = try store.search(SearchedNote.self, "blue", in: \.title, limit: 1)
        #expect("\(hits[0].snippet(in: \.title))".hasPrefix("blue"))
    }
}
