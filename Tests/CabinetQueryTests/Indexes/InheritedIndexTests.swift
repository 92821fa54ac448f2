import Foundation
import Testing

@testable import Cabinet

/// A class whose indexes its subclasses inherit.
class Engraving: StoredObject {
    @Field var title = ""
    @Field var year = 0
    @Field var plate: String?
    @One var studio: EngravingStudio?

    /// Reads one field, and is another property.
    var heading: String {
        get { title.uppercased() }
        set { title = newValue }
    }

    override class var indexes: [Index] {
        [
            .ordered(\Engraving.title), .ordered(\Engraving.year, \Engraving.title),
            .unique(\Engraving.plate), .ordered(\Engraving.studio),
        ]
    }
}

/// Inherits all indexes.
class Mezzotint: Engraving {
    @Field var tone = 0
}

/// Has one more than it inherits.
final class TintedMezzotint: Mezzotint {
    @Field var tint = ""

    override class var indexes: [Index] { super.indexes + [.ordered(\TintedMezzotint.tint)] }
}

/// A class with a property that a subclass overrides: its index has a name of its own.
class Charcoal: StoredObject {
    @Field var title = ""
    @Field var year = 0

    override class var indexes: [Index] {
        [.ordered(\Charcoal.title, named: "titles"), .ordered(\Charcoal.year)]
    }
}

/// Overrides a property of which it inherits an index.
final class Forgery: Charcoal {
    override var title: String {
        get { "after " + super.title }
        set { super.title = newValue }
    }
}

final class EngravingStudio: StoredObject {
    @Field var name = ""

    override class var indexes: [Index] { [.ordered(\EngravingStudio.name)] }
}

@Suite("Indexes: inherited")
struct InheritedIndexTests {
    private static let classes: [StoredObject.Type] = [
        Engraving.self, Mezzotint.self, TintedMezzotint.self, EngravingStudio.self, Charcoal.self,
        Forgery.self,
    ]
    let store: Store

    /// 500 of each class, with 100 titles and years.
    init() throws {
        store = try Store(inMemory: Self.classes)
        let studios = (0..<10).map { number in
            let studio = EngravingStudio()
            studio.name = "Studio \(number)"
            store.insert(studio)
            return studio
        }
        for number in 0..<1500 {
            let kinds: [Engraving.Type] = [Engraving.self, Mezzotint.self, TintedMezzotint.self]
            let object = kinds[number % 3].init()
            object.title = "Title \(number / 3 % 100)"
            object.year = 1500 + number / 3 % 100
            object.plate = "P\(number)"
            object.studio = studios[number % 10]
            (object as? TintedMezzotint)?.tint = "tint \(number % 7)"
            store.insert(object)
            let drawing = number % 3 == 0 ? Charcoal() : Forgery()
            drawing.title = object.title
            drawing.year = object.year
            store.insert(drawing)
        }
        try store.save()
    }

    private func first<Object: StoredObject>(_ query: ObjectQuery<Object>) throws -> String {
        try #require(try store.query(query).explain().steps.first).description
    }

    @Test("every class has tables of its own, which agree with its records")
    func ownTables() throws {
        let expected: [(StoredObject.Type, Int, Int)] = [
            (Engraving.self, 4, 500), (Mezzotint.self, 4, 500), (TintedMezzotint.self, 5, 500),
            (Charcoal.self, 2, 500), (Forgery.self, 2, 1000),
        ]
        for (type, count, rows) in expected {
            let contents = try store.indexContents(of: type)
            #expect(contents.count == count)
            for (name, content) in contents {
                #expect(content.found.count == rows, "\(type) \(name)")
                #expect(content.found == content.expected, "\(type) \(name)")
            }
        }
    }

    @Test("a subclass is asked by its own key paths")
    func ownKeyPaths() throws {
        let titled = ObjectQuery<Mezzotint>(where: #Predicate { $0.title == "Title 7" })
        #expect(try first(titled) == #"index title of Mezzotint, title "Title 7": 5 rows"#)
        #expect(try store.fetch(titled).count == 5)
        let both = ObjectQuery<TintedMezzotint>(
            where: #Predicate { $0.year == 1507 && $0.title == "Title 7" && $0.tint != "" })
        #expect(try first(both).hasPrefix("index "))
        #expect(try store.fetch(both).count == 5)
        let inOrder = ObjectQuery<Mezzotint>(sortedBy: [.ascending(\.title)], limit: 3)
        #expect(try first(inOrder).hasPrefix("index title of Mezzotint"))
        #expect(try store.fetch(inOrder).map { $0.title } == Array(repeating: "Title 0", count: 3))
        let sum = try store.query(Mezzotint.self).filter(#Predicate<Mezzotint> { $0.year < 1510 })
            .sum(\.year)
        #expect(sum == 5 * (1500...1509).reduce(0, +))
    }

    @Test("a query of the superclass finds objects of all by the index of each")
    func subclasses() throws {
        let query = ObjectQuery<Engraving>(
            where: #Predicate { $0.year == 1533 }, includingSubclasses: true)
        let steps = try store.query(query).explain().steps.map(\.description)
            .filter { $0.hasPrefix("index ") }
        #expect(steps.count == 3)
        #expect(steps.allSatisfy { $0.contains("year 1533") })
        let found = try store.fetch(query)
        #expect(found.count == 15)
        #expect(found.allSatisfy { $0.year == 1533 })
        #expect(found.count { $0 is TintedMezzotint } == 5)
        let own = ObjectQuery<Engraving>(where: #Predicate { $0.year == 1533 })
        #expect(try store.fetch(own).count == 5)
    }

    @Test("paths, references and unique keys work in a subclass")
    func relations() throws {
        let made = ObjectQuery<Mezzotint>(where: #Predicate { $0.studio?.name == "Studio 3" })
        #expect(try first(made).hasPrefix("index studio of Mezzotint, studio row "))
        let expected = try store.objects(of: Mezzotint.self)
            .filter { $0.studio?.name == "Studio 3" }.count
        #expect(try store.fetch(made).count == expected)
        let known = try store.upsert(Mezzotint.self, by: \.plate, "P1") { $0.tone = 4 }
        #expect(known.year == 1500)
        let copy = Mezzotint()
        copy.plate = "P4"
        store.insert(copy)
        #expect(throws: StoreError.self) { try store.save() }
        store.rollback()
        // Each class has its own table, so another class may have the value.
        let other = Engraving()
        other.plate = "P4"
        store.insert(other)
        try store.save()
    }

    @Test("a property that a subclass overrides is asked of objects")
    func overrides() throws {
        let query = ObjectQuery<Forgery>(where: #Predicate { $0.title == "after Title 7" })
        #expect(try first(query) == "scan Forgery: 1000 rows")
        #expect(try store.fetch(query).count == 10)
        let plain = ObjectQuery<Charcoal>(
            where: #Predicate { $0.title == "Title 7" }, includingSubclasses: true)
        #expect(try store.fetch(plain).count == 5)
        let changed = ObjectQuery<Forgery>(where: #Predicate { $0.year == 1507 })
        #expect(try first(changed) == "index year of Forgery, year 1507: 10 rows")
        let titles = try store.fetch(changed).map { $0.title }
        #expect(titles == Array(repeating: "after Title 7", count: 10))
    }

    @Test("a property that reads an inherited one is not taken for it")
    func computedProperties() throws {
        let query = ObjectQuery<Mezzotint>(where: #Predicate { $0.heading == "TITLE 7" })
        #expect(try first(query) == "scan Mezzotint: 500 rows")
        #expect(try store.fetch(query).count == 5)
    }
}
