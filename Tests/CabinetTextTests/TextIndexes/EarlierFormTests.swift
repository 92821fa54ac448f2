import CabinetBackend
import CabinetTestSupport
import Testing

@testable import Cabinet

/// Text indexes that an earlier program has made.
@Suite("Text indexes: earlier forms")
struct EarlierFormTests {
    /// The index of form 3 had entries of first letters: it is made anew, and until then texts are asked, also by
    /// a program that knows no class.
    @Test("an index of an earlier form is made anew")
    func earlierForm() throws {
        let temporary = try TemporaryStore([PartNote.self])
        for number in 0..<300 { temporary.store.insert(PartNote("note \(number)", "body")) }
        try temporary.store.save()
        let number = try temporary.store.registered(PartNote.self).number
        var entries = try temporary.store.reader.derivedEntries(ofClass: number)
        for name in ["title", "body"] {
            var entry = try #require(entries[TextKeeper.kind, name])
            #expect(entry.definition.hasPrefix("form 4, "))
            entry.definition = "form 3, " + entry.definition.dropFirst("form 4, ".count)
            #expect(TextDefinition(entry.definition)?.hasOtherForm == true)
            entries[TextKeeper.kind, name] = entry
        }
        let backend = temporary.store.backend
        let batch = backend.makeBatch()
        try entries.put(ofClass: number, in: batch)
        // Without these, nothing can be found by the indexes.
        for text in try temporary.store.searchableTexts(
            of: temporary.store.registered(PartNote.self), nil)
        {
            let table = try #require(text.table)
            let cursor = try backend.entries(
                in: table, range: KeyRange(prefix: TextKeys.key(.postings)), descending: false)
            let run = EntryRun()
            while try cursor.next(run, limit: 4096) {
                while let (key, _) = run.next() { try batch.deleteKey(key, in: table) }
            }
        }
        try backend.commit(batch)
        do {
            let described = try Store(
                describedBy: StoreSchema(backend), reading: backend, over: backend
            ) { _, row, error in Issue.record("row \(row): \(String(describing: error))") }
            let found = try described.searchRecords(
                of: "PartNote", SearchQuery("[[*te 29*]]"), in: "title")
            #expect(found.totalCount == 11 && described.unusedTexts(of: "PartNote").count == 2)
        }
        try temporary.reopen()
        let store = temporary.store
        #expect(
            try store.searchableTexts(of: store.registered(PartNote.self), nil)
                .allSatisfy { !$0.isComplete })
        #expect(try store.search(PartNote.self, "[[*te 29*]]", in: \.title).totalCount == 11)
        try store.indexes.build()
        let texts = try store.searchableTexts(of: store.registered(PartNote.self), nil)
        #expect(texts.allSatisfy { $0.isComplete && ($0.entry?.generation ?? 0) > 1 })
        #expect(try store.search(PartNote.self, "[[*te 29*]]", in: \.title).totalCount == 11)
        #expect(try store.indexFindings().isEmpty)
    }
}
