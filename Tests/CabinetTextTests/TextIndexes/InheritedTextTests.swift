import CabinetBackend
import CabinetTestSupport
import Testing

@testable import Cabinet

/// A class whose text indexes its subclasses inherit.
class Parchment: StoredObject {
    @Field var title = ""
    @Field var body: String?

    override class var textIndexes: [TextIndex] {
        [
            .text(\Parchment.title), .text(\Parchment.body, tokenizer: .words(language: "en")),
            .computed(named: "both") { (one: Parchment) in "\(one.title) \(one.body ?? "")" },
        ]
    }
}

/// Inherits all text indexes.
class Palimpsest: Parchment {
    @Field var undertext = ""
}

/// Has one more than it inherits.
final class GildedPalimpsest: Palimpsest {
    override class var textIndexes: [TextIndex] {
        super.textIndexes + [.text(\GildedPalimpsest.undertext, tokenizer: .substring)]
    }
}

/// A class whose text index has a name.
class NamedScroll: StoredObject {
    @Field var title = ""

    override class var textIndexes: [TextIndex] { [.text(\NamedScroll.title, named: "titles")] }
}

/// Overrides a property of which it inherits a text index.
final class CopiedScroll: NamedScroll {
    override var title: String {
        get { "copied " + super.title }
        set { super.title = newValue }
    }
}

/// Subclasses inherit text indexes; each class has tables of its own.
@Suite("Text indexes: inherited ones")
struct InheritedTextTests {
    private static let classes = [Parchment.self, Palimpsest.self, GildedPalimpsest.self]

    private func insert<Object: Parchment>(
        _ type: Object.Type, _ count: Int, in store: Store
    ) {
        for number in 0..<count {
            let object = Object()
            object.title = "number\(number) \(number % 2 == 0 ? "even" : "odd")"
            object.body = number % 3 == 0 ? nil : "running ponies of \(type)"
            (object as? Palimpsest)?.undertext = "hidden\(number)text"
            store.insert(object)
        }
    }

    @Test("a subclass keeps the text indexes that it inherits", arguments: [3, 300])
    func inherited(count: Int) throws {
        let temporary = try TemporaryStore(Self.classes)
        insert(Parchment.self, count, in: temporary.store)
        insert(Palimpsest.self, 2 * count, in: temporary.store)
        insert(GildedPalimpsest.self, 3 * count, in: temporary.store)
        try temporary.store.save()
        let store = try temporary.reopen(Self.classes)
        let edited = try #require(try store.object(Palimpsest.self, rowID: .first))
        edited.title = "changed"
        try store.save()
        for isInForm in [false, true] {
            if isInForm { try store.keepTexts(unmergedLimit: 1) }
            for type in Self.classes {
                let texts = try store.searchableTexts(of: store.registered(type), nil)
                let areComplete = texts.allSatisfy { $0.isComplete }
                #expect(areComplete)
                let names = texts.map { $0.source.fieldName }
                #expect(names.prefix(3) == ["title", "body", nil])
            }
            let even = (count + 1) / 2
            #expect(try store.search(Parchment.self, "even", in: \.title).totalCount == even)
            #expect(try store.search(Palimpsest.self, "even", in: \.title).totalCount == count - 1)
            #expect(
                try store.search(GildedPalimpsest.self, "title:odd").totalCount == 3 * count / 2)
            #expect(try store.search(Palimpsest.self, "changed", in: \.title).count == 1)
            #expect(
                try store.search(GildedPalimpsest.self, "both:gildedpalimpsest").totalCount
                    == 3 * count - count)
            #expect(
                try store.search(
                    GildedPalimpsest.self, "[[*en1te*]]", in: \.undertext
                ).totalCount == 1)
            #expect(throws: QuerySyntaxError.self) {
                try store.search(Palimpsest.self, "undertext:hidden1text")
            }
        }
        #expect(try store.indexFindings().isEmpty)
    }

    @Test("key paths of a subclass and of its superclass show where an inherited text was found")
    func highlights() throws {
        let store = try Store(inMemory: Self.classes)
        let page = GildedPalimpsest()
        page.title = "blue vellum"
        page.body = "runs far"
        store.insert(page)
        try store.save()
        let hit = try #require(
            try store.search(GildedPalimpsest.self, "running OR vellum").first)
        #expect(hit.ranges(in: \.title).map { String(page.title[$0]) } == ["vellum"])
        #expect(hit.ranges(in: \.body).count == 1)
        #expect(hit.ranges(in: \.undertext).isEmpty)
        let suggested = try store.suggestions(for: "vel", in: \GildedPalimpsest.title)
        #expect(suggested.map(\.word) == ["vellum"])
    }

    /// The text is what the object says, not what the record of the superclass's field has.
    @Test("an index of a property that the class overrides has the text of the object")
    func overridden() throws {
        let store = try Store(inMemory: [NamedScroll.self, CopiedScroll.self])
        let (plain, copied) = (NamedScroll(), CopiedScroll())
        for scroll in [plain, copied] { scroll.title = "scroll" }
        store.insert(plain)
        store.insert(copied)
        try store.save()
        #expect(try store.search(NamedScroll.self, "copied").totalCount == 0)
        #expect(try store.search(CopiedScroll.self, "titles:copied scroll").totalCount == 1)
        copied.title = "roll"
        try store.save()
        #expect(try store.search(CopiedScroll.self, "scroll").totalCount == 0)
        #expect(try store.search(CopiedScroll.self, "copied roll").totalCount == 1)
    }
}
