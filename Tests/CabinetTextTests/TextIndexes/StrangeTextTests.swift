import CabinetBackend
import CabinetTestSupport
import Foundation
import Testing
import TrustSupport

@testable import Cabinet
@testable import CabinetTextSearch

/// A class whose title is indexed by words and by parts.
final class StrangeNote: StoredObject {
    @Field var title = ""

    convenience init(_ title: String) {
        self.init()
        self.title = title
    }

    override class var textIndexes: [TextIndex] {
        [
            .text(\StrangeNote.title),
            .text(\StrangeNote.title, tokenizer: .words(language: "en"), named: "stems"),
            .text(\StrangeNote.title, tokenizer: .substring, named: "parts"),
        ]
    }
}

/// The same class as ``StrangeNote`` to a store, of a program that knows no text index.
final class StrangePlainNote: StoredObject {
    @Field var title = ""

    override class var storageName: String { "StrangeNote" }
}

/// No text, however long or strange, exhausts memory or crashes: it is found as a look through it finds it.
@Suite("Text indexes: long and strange texts")
struct StrangeTextTests {
    /// Compares how many rows a search finds with what a look through `texts` finds: while the records
    /// are asked, after segments were made of them, and when they are inserted with many others.
    private func check(_ texts: [String], _ queries: [String]) throws {
        let store = try Store(inMemory: [StrangeNote.self])
        for text in texts { store.insert(StrangeNote(text)) }
        try store.save()
        try compare(store, texts, queries, "asked")
        try store.keepTexts(unmergedLimit: 1)
        try compare(store, texts, queries, "in a segment")
        let other = try Store(inMemory: [StrangeNote.self])
        for text in texts { other.insert(StrangeNote(text)) }
        for _ in 0..<TextKeeper.segmentFrom { other.insert(StrangeNote("")) }
        try other.save()
        try compare(other, texts, queries, "inserted with many")
        for note in try other.objects(of: StrangeNote.self) where !note.title.isEmpty {
            note.title = "changed"
        }
        try other.save()
        for query in queries {
            #expect(try other.search(StrangeNote.self, query).totalCount == 0, "\(query)")
        }
        #expect(try other.search(StrangeNote.self, "changed").totalCount == texts.count)
    }

    private func compare(
        _ store: Store, _ texts: [String], _ queries: [String], _ note: String
    ) throws {
        let fields = try store.searchableTexts(of: store.registered(StrangeNote.self), nil).map {
            SearchedField(name: $0.name, tokenizer: $0.index.tokenizer)
        }
        for text in queries {
            let query = try SearchQuery(text)
            var matcher = SearchMatcher(CompiledSearch(query, fields))
            var wanted = 0
            for text in texts where matcher.match(fields.map { _ in text }) != nil { wanted += 1 }
            let found = try store.search(StrangeNote.self, query).totalCount
            #expect(found == wanted, "'\(text.prefix(40))', \(note)")
        }
    }

    @Test("a word of a hundred thousand letters is found by its beginning")
    func oneWord() throws {
        let word = String(repeating: "abcdefgh", count: 1 << 14)
        try check([word, "short"], [String(word.prefix(24)), "[[*defga*]]", "short"])
    }

    @Test("ten thousand distinct words in one text are found")
    func distinctWords() throws {
        var text = ""
        for number in 0..<10_000 { text += String(number, radix: 36) + " " }
        try check([text, "zz"], ["0", String(9_999, radix: 36), "\"zy zz 100\""])
    }

    @Test("of more terms than a text may have, the first are found, in segments as by a look")
    func tooManyTerms() throws {
        let text = Array((String(repeating: "ab ", count: Tokenizer.termLimit) + "last").utf8)
        let draft = SegmentDraft(.words)
        var matcher = SearchMatcher(
            CompiledSearch(
                try SearchQuery("ab OR last"), [SearchedField(name: "title", tokenizer: .words)]))
        try text.withUnsafeBufferPointer { bytes in
            _ = try draft.add(bytes, of: .first)
        }
        #expect(draft.length == Int64(Tokenizer.termLimit))
        #expect(draft.terms.count == 1)
        let match = matcher.match([String(decoding: text, as: UTF8.self)])
        let found = try #require(match)
        #expect(found.frequencies.map { $0[0] } == [Tokenizer.placeLimit, 0])
        #expect(found.wordCounts == [Tokenizer.termLimit])
    }

    @Test("marks, joiners, flags and all scalars of Unicode are taken apart in bounded memory")
    func strange() throws {
        var all = ""
        for value in UInt32(0)...0x10FFFF where value % 97 == 0 {
            if let scalar = Unicode.Scalar(value) { all.unicodeScalars.append(scalar) }
        }
        let texts = [
            "a" + String(repeating: "\u{301}", count: 4_000) + " needle",
            String(repeating: "\u{200D}", count: 4_000) + " needle",
            String(repeating: "👩\u{200D}", count: 2_500) + " needle",
            String(repeating: "\u{1F1E9}", count: 2_501) + " needle",
            String(repeating: "กี่", count: 2_500) + " needle",
            String(repeating: "\0\u{1}", count: 2_500) + " needle",
            String(repeating: "'.:", count: 2_500) + " needle",
            String(repeating: "\u{5D0}\"", count: 2_500) + " needle",
            String(repeating: "\u{AC00}\u{1100}\u{1161}", count: 1_500) + " needle",
            all + " needle",
        ]
        try check(texts, ["needle", "needl*", "[[*eedl*]]", "กี่", "\u{AC00}"])
    }

    @Test("records of invalid UTF-8 are found by their other words")
    func invalidUTF8() throws {
        let temporary = try TemporaryStore([StrangePlainNote.self])
        let store = temporary.store
        for number in 0..<4 {
            let note = StrangePlainNote()
            note.title = "word xyz needle number\(number)"
            store.insert(note)
        }
        try store.save()
        let storedClass = try store.registered(StrangePlainNote.self)
        for note in try store.objects(of: StrangePlainNote.self).prefix(3) {
            let record = DataBuffer()
            let isThere = try store.reader.value(
                of: note.rowID, in: storedClass.table, into: record)
            #expect(isThere)
            var bytes = record.withUnsafeBytes { Array($0) }
            let place = try #require(bytes.firstIndex(of: UInt8(ascii: "x")))
            bytes.replaceSubrange(place..<place + 3, with: [0xFF, 0xC0, 0xE2])
            let batch = store.backend.makeBatch()
            let buffer = batch.beginRecord(note.rowID, in: storedClass.table)
            bytes.withUnsafeBytes { buffer.writeRawBytes($0) }
            try batch.endRecord()
            try store.backend.commit(batch)
        }
        let again = try temporary.reopen([StrangeNote.self])
        func count(_ query: String) throws -> Int {
            try again.search(StrangeNote.self, query, limit: 0).totalCount
        }
        #expect(try count("needle") == 4)
        try again.indexes.build()
        let texts = try again.searchableTexts(of: again.registered(StrangeNote.self), nil)
        let areComplete = texts.allSatisfy { $0.isComplete }
        #expect(areComplete)
        for query in ["needle", "[[*eedl*]]", "\"word needle\" OR \"xyz needle\""] {
            #expect(try count(query) == 4, "\(query)")
        }
        // Their objects cannot be read, which is said as for every fetch.
        #expect(throws: StoreError.self) { try again.search(StrangeNote.self, "number1") }
        let note = try #require(try again.search(StrangeNote.self, "number3").first?.object)
        note.title = "changed"
        try again.save()
        #expect(try count("needle") == 3 && count("changed") == 1)
        try again.keepTexts(unmergedLimit: 1)
        #expect(try count("needle") == 3 && count("changed") == 1)
    }
}
