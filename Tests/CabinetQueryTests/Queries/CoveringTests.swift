import CabinetMemory
import Foundation
import Testing

@testable import Cabinet
@testable import CabinetTestModel

/// A class whose indexes have several columns.
final class Pressing: StoredObject {
    @Field var label = ""
    @Field var year = 0
    @Field var copies: Int32?
    @Field var weight = 0.0
    @Field var code = ""

    override class var indexes: [Index] {
        [
            .ordered(\Pressing.label, \Pressing.year, \Pressing.copies),
            .ordered(\Pressing.year, \Pressing.weight),
            .ordered(\Pressing.copies),
            .ordered(\Pressing.code, collation: .binary),
        ]
    }
}

@Suite("Answers from an index alone")
struct CoveringTests {
    let store: Store

    /// 4,000 pressings of 5 labels and 50 years.
    init() throws {
        store = try Store(inMemory: [Pressing.self])
        for number in 0..<4000 {
            let pressing = Pressing()
            pressing.label = "Label \(number % 5)"
            pressing.year = 1950 + number % 50
            pressing.copies = number % 3 == 0 ? nil : Int32(number % 100) - 50
            pressing.weight = number % 7 == 0 ? -0.0 : Double(number % 11)
            pressing.code = "c\(number % 40)"
            store.insert(pressing)
        }
        try store.save()
    }

    private func expectAlone(
        _ plan: QueryPlan, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(
            plan.description.contains("from the index alone"), "\(plan)",
            sourceLocation: sourceLocation)
    }

    /// All objects, as plain Swift sees them.
    private func plain() throws -> [Pressing] { try store.objects(of: Pressing.self) }

    @Test("sums and means read keys, not records")
    func sums() throws {
        let late = #Predicate<Pressing> { $0.year >= 1990 }
        expectAlone(try store.query(Pressing.self).explainAggregate(.sum(\.year)))
        expectAlone(try store.query(Pressing.self).explainAggregate(.sum(\.copies), .sum(\.year)))
        expectAlone(try store.query(Pressing.self).filter(late).explainAggregate(.sum(\.weight)))
        #expect(
            try store.query(Pressing.self).filter(late).explainAggregate(.sum(\.weight)).description
                == "index year.weight of Pressing, year 1990..., from the index alone: 800 rows\n"
                + "keep year >= 1990: 800 rows")
        let all = try plain()
        let (sum, years) = try store.query(Pressing.self).aggregate(.sum(\.copies), .sum(\.year))
        #expect(sum == all.reduce(0) { $0 + Int($1.copies ?? 0) })
        #expect(years == all.reduce(0) { $0 + $1.year })
        let weights = all.filter { $0.year >= 1990 }.map(\.weight)
        #expect(try store.query(Pressing.self).filter(late).sum(\.weight) == weights.reduce(0, +))
        let least: Int32? = -49
        let odd = #Predicate<Pressing> { $0.copies == least }
        #expect(try store.query(Pressing.self).filter(odd).average(\.copies) == -49)
    }

    @Test("a condition beyond the ranges is asked of the keys")
    func conditions() throws {
        let few = #Predicate<Pressing> { ($0.copies ?? 0) > -20 && $0.label != "Label 1" }
        let plan = try store.query(Pressing.self).filter(few).explainAggregate(.sum(\.year))
        expectAlone(plan)
        let found = try plain().filter { ($0.copies ?? 0) > -20 && $0.label != "Label 1" }
        #expect(
            try store.query(Pressing.self).filter(few).sum(\.year)
                == found.reduce(0) { $0 + $1.year })
        #expect(try store.count(of: Pressing.self, where: few) == found.count)
        #expect(
            try store.query(Pressing.self).filter(few).rowIDs() == found.map(\.rowID).sorted())
    }

    @Test("values that a key cannot give back as they were come from records")
    func fidelity() throws {
        let query = ObjectQuery<Pressing>(where: #Predicate { $0.year == 1950 })
        expectAlone(try store.query(query).explainValues(\.year))
        let weights = try store.query(query).explainValues(\.weight)
        #expect(!weights.description.contains("alone"))
        let labels = try store.query(query).explainValues(\.label)
        #expect(!labels.description.contains("alone"))
        #expect(
            try store.query(query).values(\.weight).map(\.sign)
                == plain().filter { $0.year == 1950 }.map(\.weight.sign))
        let accent = Pressing()
        (accent.label, accent.year, accent.code) = ("e\u{301}", 3000, "e\u{301}")
        store.insert(accent)
        try store.save()
        let new = #Predicate<Pressing> { $0.year == 3000 }
        let scalars = try store.query(Pressing.self).filter(new).values(\.label)
        #expect(scalars.map { Array($0.unicodeScalars) } == [["e", "\u{301}"]])
        let keys = try store.query(Pressing.self).distinctValues(of: \.label)
        #expect(Array(keys.last?.unicodeScalars ?? "".unicodeScalars) == ["e", "\u{301}"])
        // A binary key has the text as it is.
        let codes = #Predicate<Pressing> { $0.code > "d" }
        expectAlone(try store.query(Pressing.self).filter(codes).explainValues(\.code))
        let found = try store.query(Pressing.self).filter(codes).values(\.code)
        #expect(found.map { Array($0.unicodeScalars) } == [["e", "\u{301}"]])
    }

    @Test("groups are counted by ranks, and pending changes count")
    func groups() throws {
        func expectAll() throws {
            let all = try plain()
            let expected = Dictionary(grouping: all, by: \.label).sorted { $0.key < $1.key }
            let groups = try store.query(Pressing.self).groups(
                by: \.label, .count, .sum(\.year), .sum(\.copies))
            #expect(groups.map(\.key) == expected.map(\.key))
            #expect(groups.map(\.results.0) == expected.map(\.value.count))
            #expect(
                groups.map(\.results.1) == expected.map { $0.value.reduce(0) { $0 + $1.year } })
            let counts = try store.query(Pressing.self).groups(by: \.label, .count)
            #expect(counts.map(\.key) == expected.map(\.key))
            #expect(counts.map(\.results) == expected.map(\.value.count))
            #expect(
                try store.query(Pressing.self).distinctValues(of: \.label) == expected.map(\.key))
            let copies = try store.query(Pressing.self).groups(by: \.copies, .count)
            let byCopies = Dictionary(grouping: all, by: \.copies)
            #expect(copies.count == byCopies.count && copies.first?.key == nil)
            #expect(copies.allSatisfy { byCopies[$0.key]?.count == $0.results })
            let years = try store.query(Pressing.self).filter(#Predicate { $0.label == "Label 2" })
                .groups(by: \.year, .count)
            #expect(
                years.map(\.key) == Set(all.filter { $0.label == "Label 2" }.map(\.year)).sorted())
            #expect(
                try store.count(of: Pressing.self, where: #Predicate { $0.year == 1952 })
                    == all.count { $0.year == 1952 })
        }
        try expectAll()
        expectAlone(try store.query(Pressing.self).explainGroups(by: \.label, .count))
        let some = try store.fetch(Pressing.self, where: #Predicate { $0.year == 1952 })
        some[0].label = "Label 9"
        some[1].copies = 1000
        some[2].year = 1900
        try store.delete(some[3])
        for object in some[4...] where object.label == "Label 2" { object.label = "Label 0" }
        let new = Pressing()
        (new.label, new.year) = ("Label 00", 1952)
        store.insert(new)
        try expectAll()
        // All of a group.
        try store.query(Pressing.self).filter(#Predicate { $0.label == "Label 4" }).update {
            $0.label = "Label 3"
        }
        try expectAll()
        try store.save()
        try expectAll()
    }

    @Test("extremes are one seek, also of optional values")
    func extremes() throws {
        #expect(try store.query(Pressing.self).minimum(\.copies) == -50)
        #expect(try store.query(Pressing.self).maximum(\.copies) == 49)
        #expect(try store.query(Pressing.self).minimum(\.year) == 1950)
        let indexes = try #require(
            try store.indexKeeper?.indexes(of: try store.registered(Pressing.self)))
        let uses = indexes["copies"]?.uses ?? 0
        #expect(try store.query(Pressing.self).minimum(\.copies) == -50)
        #expect(indexes["copies"]?.uses == uses + 1)
        let none = #Predicate<Pressing> { $0.copies == nil }
        #expect(try store.query(Pressing.self).filter(none).minimum(\.copies) == nil)
    }

    @Test("keys that lack an end are given up, and records asked")
    func cutKeys() throws {
        let long = String(repeating: "x", count: 2000)
        for end in ["a", "b"] {
            let pressing = Pressing()
            (pressing.label, pressing.year) = (long + end, 7)
            store.insert(pressing)
        }
        try store.save()
        let keys = try store.query(Pressing.self).distinctValues(of: \.label)
        #expect(keys.suffix(2) == [long + "a", long + "b"])
        let counts = try store.query(Pressing.self).groups(by: \.label, .count)
        #expect(counts.map(\.results) == [800, 800, 800, 800, 800, 1, 1])
    }
}
