import CabinetMemory
import Foundation
import Testing

@testable import Cabinet
@testable import CabinetTestModel

/// What `upgrade(from:)` gets of old records, and for which records it is called.
struct RawRecordTests {
    let backend = MemoryBackend()

    struct Place: Codable, Equatable {
        var city = ""
        var width = 0
    }

    enum Then {
        final class Item: StoredObject {
            @Field var name = ""
            @Field var sizes: [Int32?] = []
            @Field var place = Place()
            @One var parent: Item?
            @Many var children: [Item]
        }
    }

    enum Now {
        final class Item: StoredObject {
            @Field var city = ""
            @Field var told: [String] = []
            @Field var upgrades = 0

            override func upgrade(from record: RawRecord) throws {
                upgrades += 1
                told = record.fieldNames.map { "\($0): \(record.type(of: $0) ?? "none")" }
                told.append("other: \(record.type(of: "other") ?? "none")")
                city = try record.codable("place", as: Place.self)?.city ?? "none"
                #expect(try record.codable("none", as: Place.self) == nil)
                #expect(throws: StoreError.self) { try record.codable("name", as: Place.self) }
            }
        }
    }

    /// The program of then, which was given an upgrade of its own.
    enum Again {
        final class Item: StoredObject {
            @Field var name = ""
            @Field var sizes: [Int32?] = []
            @Field var place = Place()
            @One var parent: Item?
            @Many var children: [Item]

            override func upgrade(from record: RawRecord) throws {
                Issue.record("asked to upgrade from \(record.fieldNames)")
            }
        }
    }

    enum More {
        final class Item: StoredObject {
            @Field var name = ""
            @Field var sizes: [Int32?] = []
            @Field var place = Place()
            @One var parent: Item?
            @Many var children: [Item]
            @Field var more = "more"
        }
    }

    private func writeThen() throws {
        let store = try Store(backend: backend, classes: [Then.Item.self])
        let item = Then.Item()
        item.name = "old"
        item.place = Place(city: "Rome", width: 3)
        store.insert(item)
        try store.save()
    }

    @Test func aRecordTellsItsFieldsAndTheirTypes() throws {
        try writeThen()
        let store = try Store(backend: backend, classes: [Now.Item.self])
        let item = try #require(try store.objects(of: Now.Item.self).first)
        #expect(
            item.told == [
                "name: String", "sizes: [Int32?]", "place: Codable<Place>", "parent: One<Item>",
                "children: Many<Item>", "other: none",
            ])
        #expect(item.city == "Rome" && item.upgrades == 1)
    }

    /// An older program was asked to upgrade what a newer one had written, and rewrote it.
    @Test func aNewerLayoutIsNoMatterForAnUpgrade() throws {
        try writeThen()
        let newer = try Store(backend: backend, classes: [More.Item.self])
        let item = More.Item()
        item.name = "new"
        newer.insert(item)
        try newer.save()

        let store = try Store(backend: backend, classes: [Again.Item.self])
        #expect(try store.objects(of: Again.Item.self).map(\.name) == ["old", "new"])
        #expect(try store.upgradeAll(of: Again.Item.self) == 0)
        let again = try Store(backend: backend, classes: [More.Item.self])
        let items = try again.objects(of: More.Item.self)
        #expect(items.map(\.name) == ["old", "new"])
        #expect(try again.upgradeAll(of: More.Item.self) == 1)
    }
}
