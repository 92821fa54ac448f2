import CabinetMemory
import Foundation
import Testing

@testable import Cabinet
@testable import CabinetTestModel

class Vehicle: StoredObject {
    @Many(inverse: \Trip.vehicle) var trips: [Trip]
}
final class Van: Vehicle {}
final class Trip: StoredObject {
    @One var vehicle: Vehicle?
}

struct StoreSchemaTests {
    let bench = SchemaBench()

    /// One object of each of the classes, related.
    func fill() throws {
        let store = try bench.open(tunes)
        let (tune, list, disc) = (Tune("One"), TuneList(), Disc())
        (list.tunes, disc.tracks, disc.booklet) = ([tune], [tune], Booklet())
        for object in [tune, list, disc, Branch()] { store.insert(object) }
        try store.save()
    }

    @Test func classesAndFieldsAreKnownWithoutThem() throws {
        try fill()
        let schema = try StoreSchema(bench.backend)
        #expect(
            Set(schema.classes.map(\.name)) == ["Tune", "TuneList", "Disc", "Booklet", "Branch"])
        #expect(schema.versioning == .perInstance)
        let tune = try #require(schema["Tune"])
        #expect(schema[tune.number] == tune && tune.version == 1 && tune.isDeclared)
        #expect(tune.fields.map(\.name) == ["title", "lists", "album"])
        #expect(tune.fields.map(\.type) == ["String", "Many<TuneList>", "One<Disc>"])
        #expect(tune.fields.map(\.isOptional) == [false, false, true])
        #expect(tune.layouts.map(\.number) == [1] && tune.problem == nil)
        #expect(schema["tune"] == nil && schema[200] == nil)
    }

    @Test func relationshipsAreKnownFromBothSides() throws {
        try fill()
        let schema = try StoreSchema(bench.backend)
        func relationship(_ name: String, _ field: String) throws -> StoreSchema.Relationship {
            try #require(schema[name]?.fields.first { $0.name == field }?.relationship)
        }
        let lists = try relationship("Tune", "lists")
        #expect(lists.target == "TuneList" && lists.inverse == "tunes" && lists.isToMany)
        #expect(lists.deleteRule == nil && !lists.isUnique)
        let tracks = try relationship("Disc", "tracks")
        #expect(tracks.inverse == "album" && tracks.deleteRule == .deny)
        let booklet = try relationship("Disc", "booklet")
        #expect(booklet.deleteRule == .cascade && !booklet.isToMany && booklet.target == "Booklet")
        #expect(try relationship("Branch", "parent").inverse == "children")
        #expect(schema["Disc"]?.fields.first?.relationship == nil)
    }

    /// A superclass that has no objects of its own need not be registered.
    @Test func theInverseOfASuperclassIsKnown() async throws {
        let store = try bench.open([Van.self, Trip.self])
        let (van, trip) = (Van(), Trip())
        van.trips = [trip]
        store.insert(van)
        try store.save()
        #expect(trip.vehicle === van)
        let schema = try StoreSchema(bench.backend)
        let field = try #require(schema["Trip"]?.fields.first { $0.name == "vehicle" })
        #expect(field.type == "One<Vehicle>" && field.relationship?.inverse == "trips")
        // What it keeps right must lead somewhere, though nothing is registered under its name.
        try bench.delete("Van", van.rowID)
        #expect(try await StoreSchema.check(bench.backend).counts == [.danglingReference: 1])
    }

    /// A store of before relationships were written down has no such entry: it is added with the
    /// next save of the class, and no record gets another layout.
    @Test func factsAreAddedToCatalogsThatLackThem() throws {
        try fill()
        let number = try #require(try StoreSchema(bench.backend)["Disc"]?.number)
        let list = try bench.layouts(number)
        #expect(list.relations != nil)
        var cut = list
        cut.relations = nil
        try bench.setLayouts(number, cut)
        #expect(try StoreSchema(bench.backend)["Disc"]?.fields[1].relationship?.inverse == nil)
        let store = try bench.open(tunes)
        store.insert(Disc())
        try store.save()
        #expect(try bench.layouts(number) == list)
        #expect(try store.objects(of: Disc.self).count == 2)
    }

    @Test func aProgramWithoutTheOtherClassKeepsWhatIsKnown() throws {
        try fill()
        let before = try StoreSchema(bench.backend)
        let store = try bench.open([Tune.self])
        store.insert(Tune("Two"))
        try store.save()
        #expect(try StoreSchema(bench.backend) == before)
    }

    @Test func anEntryThatIsNoneIsAProblemOfItsClassAlone() throws {
        try fill()
        let number = try #require(try StoreSchema(bench.backend)["Tune"]?.number)
        try bench.setEntry("layout/\(number)/1", [9])
        let schema = try StoreSchema(bench.backend)
        guard case .badCatalog("Tune", _) = schema["Tune"]?.problem else {
            Issue.record("no problem was seen")
            return
        }
        #expect(schema["Tune"]?.layouts == [] && schema["Disc"]?.problem == nil)
        #expect(throws: StoreError.self) { try bench.decode("Tune", 2) }
        #expect(try bench.decode("Disc", 2)["title"] == .text(""))
    }

    @Test func handWrittenClassesHaveNoFields() throws {
        let store = try bench.open([Before.Song.self])
        store.insert(Before.Song())
        try store.save()
        let song = try #require(try StoreSchema(bench.backend)["Song"])
        #expect(song.layouts == [] && !song.isDeclared && song.fields == [] && song.version == 3)
        let record = try bench.decode("Song", 2)
        #expect(record.fields == nil && record.version == 3 && record.layout == nil)
    }
}
