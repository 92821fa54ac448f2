import CabinetBackend
import CabinetTestSupport
import Foundation
import Testing
import TrustSupport

@testable import Cabinet
@testable import CabinetTestModel
@testable import CabinetTextSearch

/// The same class as ``SearchedNote`` to a store, of a program that knows no text index.
final class PlainNote: StoredObject {
    @Field var title = ""
    @Field var body: String?
    @Field var code = ""
    @Field var year = 0

    override class var storageName: String { "SearchedNote" }
}

/// From the first save on an index agrees with the records, whichever store or program saves.
@Suite("Text indexes: their life")
struct TextIndexLifeTests {
    private func texts(_ store: Store) throws -> [ClassText] {
        try store.searchableTexts(of: store.registered(SearchedNote.self), nil)
    }

    private func titles(_ store: Store, _ query: String) throws -> [String] {
        try store.query(SearchedNote.self).search(query, in: \.title, orderedBy: .row).map(
            \.object.title)
    }

    @Test("an index of earlier records is built beside saves, and scans answer meanwhile")
    func building() throws {
        let temporary = try TemporaryStore([PlainNote.self])
        for number in 0..<3000 {
            let note = PlainNote()
            note.title = "number \(number) \(number % 2 == 0 ? "even" : "odd")"
            temporary.store.insert(note)
        }
        try temporary.store.save()
        let store = try temporary.reopen([SearchedNote.self])
        #expect(try titles(store, "even").count == 1500)
        store.insert(SearchedNote("a new even one"))
        try store.save()
        #expect(try titles(store, "even").count == 1501)
        try store.indexes.build()
        #expect(try texts(store).allSatisfy(\.isComplete))
        let results = try store.search(SearchedNote.self, "even", in: \.title)
        #expect(results.totalCount == 1501)
        #expect("\(results.plan)".contains("search title"))
        #expect(try store.search(SearchedNote.self, "[[*vex*]]", in: \.title).isEmpty)
    }

    @Test("a program that does not know an index leaves it behind, and the next one makes it anew")
    func neglect() throws {
        let temporary = try TemporaryStore([SearchedNote.self])
        for number in 0..<600 { temporary.store.insert(SearchedNote("first \(number)")) }
        try temporary.store.save()
        var plain = try temporary.reopen([PlainNote.self])
        let notes = try plain.objects(of: PlainNote.self)
        for note in notes.prefix(10) { note.title = "second" }
        try plain.delete(notes[20])
        try plain.save()
        plain = try temporary.reopen([SearchedNote.self])
        #expect(try titles(plain, "second").count == 10)
        #expect(try titles(plain, "first").count == 589)
        try plain.indexes.build()
        #expect(try texts(plain).allSatisfy(\.isComplete))
        #expect(try titles(plain, "second").count == 10)
        #expect(try titles(plain, "first").count == 589)
    }

    @Test("two stores find what each other has saved, once they catch up", arguments: 1...3)
    func twoStores(seed: Int) throws {
        var random = SeededRandom(seed: UInt64(seed))
        let container = StoreContainer(inMemory: [SearchedNote.self])
        let (one, other) = (try container.makeStore(), try container.makeStore())
        for _ in 0..<40 {
            let store = random.once(in: 2) ? one : other
            try store.refresh()
            for _ in 0..<random.below(20) {
                store.insert(SearchedNote(SearchWords.text(&random, upTo: 4)))
            }
            let notes = try store.objects(of: SearchedNote.self)
            for _ in 0..<min(random.below(8), notes.count) {
                notes[random.below(notes.count)].title = SearchWords.text(&random, upTo: 4)
            }
            try store.save()
            if random.once(in: 5) { try store.keepTexts(unmergedLimit: 1) }
            for store in [one, other] {
                try store.refresh()
                let word = SearchWords.all[random.below(SearchWords.all.count)]
                guard let query = try? SearchQuery(word) else { continue }
                let found = try store.search(SearchedNote.self, query, in: \.title)
                var matcher = SearchMatcher(
                    CompiledSearch(query, [SearchedField(name: "title", tokenizer: .words)]))
                let wanted = try store.objects(of: SearchedNote.self).filter {
                    matcher.match([$0.title]) != nil
                }
                #expect(found.totalCount == wanted.count, "\(word)")
            }
        }
    }

    @Test("hits tell where they were found")
    func highlights() throws {
        let store = try Store(inMemory: [SearchedNote.self])
        store.insert(SearchedNote("Blue Train", "a trains' blue book"))
        try store.save()
        let hit = try #require(store.search(SearchedNote.self, "train blue").first)
        let title = hit.object.title
        #expect(hit.ranges(in: \.title).map { String(title[$0]) } == ["Blue", "Train"])
        #expect(hit.snippet(in: \.title).text == "Blue Train")
        #expect(hit.ranges(in: \.body).count == 2)
    }

    @Test("a query of a text that the class has not is refused")
    func unknownText() throws {
        let store = try Store(inMemory: [SearchedNote.self, PlainNoteOfItsOwn.self])
        #expect(throws: QuerySyntaxError.self) { try store.search(SearchedNote.self, "lyrics:x") }
        #expect(throws: QuerySyntaxError.self) { try store.search(SearchedNote.self, "\"open") }
        #expect(throws: StoreError.notSearchable(class: "PlainNoteOfItsOwn", text: "")) {
            try store.search(PlainNoteOfItsOwn.self, "x")
        }
    }
}

/// A class without text indexes.
final class PlainNoteOfItsOwn: StoredObject {
    @Field var title = ""
}
