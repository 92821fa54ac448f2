import CabinetBackend
import CabinetTestSupport
import Testing
import TrustSupport

@testable import Cabinet
@testable import CabinetTestModel

/// What a check says of text indexes.
@Suite("Text indexes: checking")
struct TextCheckTests {
    /// A store with segments that, unless nothing is edited, void rows of one another, and with rows whose
    /// records are to be asked.
    private func filled(seed: UInt64 = 1, isEdited: Bool = true) throws -> TemporaryStore {
        var random = SeededRandom(seed: seed)
        let temporary = try TemporaryStore([SearchedNote.self])
        let store = temporary.store
        for _ in 0..<3 {
            for _ in 0..<100 {
                store.insert(
                    SearchedNote(
                        SearchWords.text(&random, upTo: 6),
                        random.once(in: 3) ? nil : SearchWords.text(&random, upTo: 12),
                        code: SearchWords.text(&random, upTo: 2)))
            }
            try store.save()
            guard isEdited else {
                try store.keepTexts(unmergedLimit: 1)
                continue
            }
            for note in try store.objects(of: SearchedNote.self) where random.once(in: 8) {
                if random.once(in: 4) {
                    try store.delete(note)
                } else {
                    note.title = SearchWords.text(&random, upTo: 6)
                    note.body = SearchWords.text(&random, upTo: 12)
                }
            }
            try store.save()
            try store.keepTexts(unmergedLimit: 20)
        }
        for note in try store.objects(of: SearchedNote.self) where isEdited && random.once(in: 20) {
            note.title = SearchWords.text(&random, upTo: 6)
        }
        try store.save()
        return temporary
    }

    private func text(_ name: String, _ store: Store) throws -> ClassText {
        let texts = try store.searchableTexts(of: store.registered(SearchedNote.self), nil)
        return try #require(texts.first { $0.name == name })
    }

    /// The first entry of a kind, or the one behind `skipping` others.
    private func entry(
        _ kind: TextKeys.Kind, _ table: TableNumber, _ store: Store, skipping: Int = 0
    ) throws -> (key: [UInt8], value: [UInt8]) {
        let cursor = try store.backend.entries(
            in: table, range: KeyRange(prefix: TextKeys.key(kind)), descending: false)
        let run = EntryRun()
        var left = skipping
        while try cursor.next(run) {
            while let (key, value) = run.next() {
                if left == 0 { return (Array(key), Array(value)) }
                left -= 1
            }
        }
        throw StoreError.closed
    }

    private func commit(_ store: Store, _ body: (WriteBatch) throws -> Void) throws {
        let batch = store.backend.makeBatch()
        try body(batch)
        try store.backend.commit(batch)
    }

    @Test("a check finds nothing wrong with whole text indexes", arguments: 1...2)
    func whole(seed: UInt64) async throws {
        let temporary = try filled(seed: seed)
        let report = try await temporary.store.check()
        #expect(report.isSound, "\(report.findings.prefix(5))")
        let table = try #require(try text("title", temporary.store).table)
        // Otherwise the test would not say much.
        let snapshot = try TextSnapshot(
            table, hasLengths: true, temporary.store.readerForWalk())
        #expect(!snapshot.unmerged.isEmpty && !snapshot.gone.isEmpty)
    }

    @Test("a word that stands more often in a text than an index has places for is no finding")
    func veryOften() throws {
        let store = try Store(inMemory: [SearchedNote.self])
        store.insert(
            SearchedNote(String(repeating: "a ", count: Tokenizer.placeLimit + 7) + "about b"))
        for _ in 0..<TextKeeper.segmentFrom { store.insert(SearchedNote("a")) }
        try store.save()
        let title = try text("title", store)
        let snapshot = try TextSnapshot(
            try #require(title.table), hasLengths: true, store.readerForWalk())
        #expect(snapshot.segments.count == 1 && snapshot.unmerged.isEmpty)
        #expect(try store.indexFindings().isEmpty)
    }

    @Test("a check finds postings that are gone", arguments: ["title", "body", "code"])
    func missing(name: String) async throws {
        let temporary = try filled()
        let store = temporary.store
        let table = try #require(try text(name, store).table)
        let (key, value) = try entry(.postings, table, store, skipping: 7)
        try commit(store) { try $0.deleteKey(key, in: table) }
        var postings = Postings()
        let first = try #require(key.withUnsafeBytes { TextKeys.number(in: $0, at: key.count - 4) })
        try value.withUnsafeBytes {
            try postings.readBlock($0, from: first, hasLengths: name != "code")
        }
        let report = try await store.check()
        let rows = Set(
            report.findings.filter { $0.kind == .missingTextEntry }.compactMap(\.row?.rawValue))
        #expect(rows.isSubset(of: postings.rows) && !rows.isEmpty)
        #expect(report.counts[.strayTextEntry] == nil)
        #expect(report.counts[.wrongTextCount] == 2)
        #expect(report.findings.allSatisfy { $0.field == name && $0.className == "SearchedNote" })
        #expect(try store.indexes.rebuild(found: report) == 1)
        #expect(try await store.check().isSound)
        #expect(try text(name, store).isComplete)
    }

    /// What a block of the titles says; `nil` if it is none.
    private func content(_ key: [UInt8], _ value: [UInt8]) -> [[UInt32]]? {
        let first = key.withUnsafeBytes { TextKeys.number(in: $0, at: key.count - 4) } ?? 0
        return value.withUnsafeBytes { value in
            var found = Postings()
            guard (try? found.readBlock(value, from: first, hasLengths: true)) != nil else {
                return nil
            }
            return [found.rows, found.lengths, found.starts, found.positions]
        }
    }

    @Test(
        "a check finds every flipped bit of an entry that counts, and no such index crashes it",
        arguments: [false, true])
    func flipped(isEdited: Bool) throws {
        let temporary = try filled(isEdited: isEdited)
        let store = temporary.store
        let table = try #require(try text("title", store).table)
        var random = SeededRandom(seed: 3)
        // What is said of rows that do not count may be anything.
        let kinds: [TextKeys.Kind] =
            isEdited ? [.unmerged, .gone] : [.postings, .terms, .segment]
        var flips = 0
        for kind in kinds {
            for _ in 0..<(kind == .postings ? 20 : 6) {
                let isMany = [.postings, .unmerged].contains(kind)
                let skipping = isMany ? random.below(4) : 0
                let (key, value) = try entry(kind, table, store, skipping: skipping)
                guard !value.isEmpty else { continue }
                var other = value
                let place = kind == .segment ? 8 + random.below(24) : random.below(value.count)
                other[place] ^= 1 << random.below(8)
                if kind == .postings {
                    // A bit that fills up the last byte, or a zero before a number, says nothing.
                    let changed = content(key, other)
                    if changed != nil, changed == content(key, value) { continue }
                }
                flips += 1
                try commit(store) { try $0.put(other, for: key, in: table) }
                let findings = try store.indexFindings()
                // A later segment may say the same of a row, or its record may be asked.
                if kind != .gone {
                    #expect(!findings.isEmpty, "\(kind) \(key), byte \(place): \(value) \(other)")
                }
                try commit(store) { try $0.put(value, for: key, in: table) }
            }
        }
        #expect(try store.indexFindings().isEmpty)
        #expect(flips > 9)
    }

    @Test("a check finds rows that are to be asked, and are not known so")
    func unmerged() async throws {
        let temporary = try filled()
        let store = temporary.store
        let table = try #require(try text("title", store).table)
        let (key, _) = try entry(.unmerged, table, store)
        try commit(store) { try $0.deleteKey(key, in: table) }
        let report = try await store.check()
        let row = key.withUnsafeBytes { TextKeys.number(in: $0, at: 1) }
        #expect(!report.isSound)
        #expect(
            report.findings.contains {
                $0.row?.rawValue == row
                    && ($0.kind == .missingTextEntry || $0.kind == .strayTextEntry)
            })
        #expect(try store.indexes.rebuild(found: report) == 1)
        #expect(try await store.check().isSound)
    }

    @Test("of a whole index that is gone, some rows are found, in bounded memory")
    func empty() throws {
        let temporary = try filled()
        let store = temporary.store
        let table = try #require(try text("body", store).table)
        let snapshot = try TextSnapshot(table, hasLengths: true, store.readerForWalk())
        var keys: [[UInt8]] = []
        try snapshot.forEach(KeyRange(prefix: TextKeys.key(.postings))) { key, _ in
            keys.append(Array(key))
            return true
        }
        try commit(store) { for key in keys { try $0.deleteKey(key, in: table) } }
        let findings = try store.indexFindings()
        #expect(findings.count { $0.kind == .missingTextEntry } > 50)
        #expect(findings.contains { $0.kind == .wrongTextCount })
    }
}
