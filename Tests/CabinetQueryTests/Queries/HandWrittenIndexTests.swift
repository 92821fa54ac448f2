import Cabinet
import CabinetMemory
import Foundation
import Testing

/// A class that is written by hand, with indexes of its properties.
final class Refrain: StoredObject {
    private var storedTitle = ""
    private var storedYear: Int?

    var title: String {
        get {
            willRead()
            return storedTitle
        }
        set {
            willChange()
            storedTitle = newValue
        }
    }
    var year: Int? {
        get {
            willRead()
            return storedYear
        }
        set {
            willChange()
            storedYear = newValue
        }
    }

    override func writeContent(to buffer: DataBuffer) {
        buffer.writeString(storedTitle)
        buffer.writeInt32(Int32(storedYear ?? -1))
    }
    override func readContent(from buffer: DataBuffer) throws {
        storedTitle = try buffer.readString()
        let year = try buffer.readInt32()
        storedYear = year < 0 ? nil : Int(year)
    }

    override class var indexes: [Index] {
        [
            .ordered(\Refrain.title, named: "title"),
            .ordered(\Refrain.year, \Refrain.title, named: "year"),
        ]
    }
}

struct HandWrittenIndexTests {
    private func filled(_ count: Int) throws -> Store {
        let store = try Store(inMemory: [Refrain.self])
        for number in 0..<count {
            let refrain = Refrain()
            refrain.title = "refrain \(number % 97)"
            refrain.year = number % 11 == 0 ? nil : 1900 + number % 53
            store.insert(refrain)
        }
        try store.save()
        return store
    }

    private func check(
        _ predicate: Predicate<Refrain>, in store: Store, usesIndex: Bool = true
    ) throws {
        let all = try store.objects(of: Refrain.self)
        let wanted = try all.filter { try predicate.evaluate($0) }
        let found = try store.fetch(Refrain.self, where: predicate)
        #expect(Set(found) == Set(wanted) && found.count == wanted.count)
        #expect(try store.count(of: Refrain.self, where: predicate) == wanted.count)
        let plan = try store.query(ObjectQuery(where: predicate)).explain()
        #expect("\(plan)".contains("index") == usesIndex, "\(plan)")
    }

    private func checkAll(in store: Store) throws {
        let (title, year) = ("refrain 17", 1917)
        let none: Int? = nil
        try check(#Predicate { $0.title == title }, in: store)
        try check(#Predicate { title == $0.title && $0.year != nil }, in: store)
        try check(#Predicate { $0.year == year && $0.title > "refrain 5" }, in: store)
        try check(#Predicate { $0.year == none }, in: store)
        try check(#Predicate { $0.title == title || $0.title == "refrain 3" }, in: store)
        try check(#Predicate { $0.title >= "refrain 95" }, in: store)
        try check(#Predicate { $0.title < "refrain 11" && $0.title > "refrain 10" }, in: store)
        try check(#Predicate { $0.title.starts(with: "refrain 4") }, in: store)
        let titles = ["refrain 2", "refrain 60", "none"]
        try check(#Predicate { titles.contains($0.title) }, in: store)
        try check(#Predicate { ("refrain 2"..."refrain 21").contains($0.title) }, in: store)
        try check(#Predicate { $0.title.count == 9 }, in: store, usesIndex: false)
    }

    @Test func anIndexServesItsConditions() throws {
        let store = try filled(2000)
        try checkAll(in: store)
        // Pending changes count.
        let all = try store.objects(of: Refrain.self)
        for (number, refrain) in all.enumerated() where number % 40 == 0 {
            refrain.title = "refrain 17"
            refrain.year = number % 80 == 0 ? nil : 1917
        }
        try store.delete(all[17])
        try checkAll(in: store)
        try store.save()
        try checkAll(in: store)
        store.insert(Refrain())
        store.rollback()
        try checkAll(in: store)
    }

    /// The next version of ``Refrain``, which reads earlier titles otherwise.
    final class LoudRefrain: StoredObject {
        private var storedTitle = ""
        var title: String {
            willRead()
            return storedTitle
        }
        override class var storageName: String { "Refrain" }
        override class var version: UInt8 { 2 }
        override func writeContent(to buffer: DataBuffer) {
            buffer.writeString(storedTitle)
            buffer.writeInt32(0)
        }
        override func readContent(from buffer: DataBuffer) throws {
            storedTitle = try buffer.readString()
            if buffer.versionOfData < 2 { storedTitle = storedTitle.uppercased() }
            _ = try buffer.readInt32()
        }
        override class var indexes: [Index] { [.ordered(\LoudRefrain.title, named: "title")] }
    }

    @Test func anotherVersionMakesTheIndexAnew() throws {
        let backend = MemoryBackend()
        do {
            let store = try Store(backend: backend, classes: [Refrain.self])
            // Of a few, a query would ask each.
            for number in 0..<500 {
                let refrain = Refrain()
                refrain.title = "hum \(number)"
                store.insert(refrain)
            }
            try store.save()
        }
        let store = try Store(backend: backend, classes: [LoudRefrain.self])
        try store.indexes.build()
        for (title, count) in [("HUM 7", 1), ("hum 7", 0)] {
            let isWanted = #Predicate<LoudRefrain> { $0.title == title }
            #expect(try store.fetch(LoudRefrain.self, where: isWanted).count == count)
        }
    }

    /// A declared class's computed property may be that of another object, which no index follows.
    final class Chorus: StoredObject {
        @Field var name = ""
        @One var of: Chorus?

        var nameOfOther: String { of?.name ?? "" }

        override class var indexes: [Index] {
            [.ordered(\Chorus.nameOfOther, named: "other")]
        }
    }

    @Test func computedPropertiesOfDeclaredClassesAreAsked() throws {
        let store = try Store(inMemory: [Chorus.self])
        let (one, other) = (Chorus(), Chorus())
        one.of = other
        other.name = "first"
        store.insert(one)
        try store.save()
        other.name = "second"
        try store.save()
        let found = try store.fetch(Chorus.self, where: #Predicate { $0.nameOfOther == "second" })
        #expect(found == [one])
    }
}
