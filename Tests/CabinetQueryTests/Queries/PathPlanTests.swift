import Foundation
import Testing

@testable import Cabinet

/// The one side.
final class Press: StoredObject {
    @Field var name = ""
    @Field var founded = 1900
    @Field var closed: Int?

    override class var indexes: [Index] { [.ordered(\Press.name), .ordered(\Press.founded)] }
}

/// Refers to one object and to many.
final class PressVolume: StoredObject {
    @Field var title = ""
    @Field var year = 0
    @One var press: Press?
    @Many var sellers: [Press]

    override class var indexes: [Index] {
        [
            .ordered(\PressVolume.press), .elements(of: \PressVolume.sellers, named: "sellers"),
            .ordered(\PressVolume.year),
        ]
    }
}

@Suite("Paths and first columns")
struct PathPlanTests {
    let store: Store

    /// 100 presses with 20 volumes each, each of which two sell.
    init() throws {
        store = try Store(inMemory: [Press.self, PressVolume.self])
        let presses = (0..<100).map { number in
            let press = Press()
            (press.name, press.founded) = ("Press \(number)", 1900 + number)
            return press
        }
        for press in presses { store.insert(press) }
        for number in 0..<2000 {
            let volume = PressVolume()
            volume.title = "Volume \(number * 7 % 2000)"
            volume.year = 1950 + number % 50
            if number % 50 > 0 { volume.press = presses[number % 100] }
            volume.sellers = [presses[number % 10], presses[(number + 50) % 100]]
            store.insert(volume)
        }
        try store.save()
    }

    private func first(_ predicate: Predicate<PressVolume>) throws -> String {
        try #require(try store.query(ObjectQuery(where: predicate)).explain().steps.first)
            .description
    }

    @Test("objects that refer to one are found by its row")
    func rows() throws {
        let press = try #require(try store.objects(of: Press.self).dropFirst(7).first)
        let row = press.rowID
        let all = try store.objects(of: PressVolume.self)
        func check(_ predicate: Predicate<PressVolume>, _ step: String) throws {
            let steps = try store.query(ObjectQuery(where: predicate)).explain().steps.map(
                \.description)
            #expect(steps.contains { $0.hasPrefix(step) }, "\(steps)")
            let expected = try all.filter { try !$0.isDeleted && predicate.evaluate($0) }
            #expect(try store.fetch(PressVolume.self, where: predicate) == expected)
        }
        let of = #Predicate<PressVolume> { $0.press?.rowID == row }
        try check(of, "index press of PressVolume, press row \(row): 20 rows")
        let recent = #Predicate<PressVolume> { row == $0.press?.rowID && $0.year > 1990 }
        try check(recent, "index press of PressVolume, press row \(row)")
        try check(
            #Predicate { $0.sellers.contains { $0.rowID == row } },
            "index sellers of PressVolume, of 1 targets")
        all[3].press = press
        all[7].press = nil
        try check(of, "index press of PressVolume, press row \(row): 21 rows")
        try store.delete(press)
        try check(of, "index press of PressVolume, press row \(row): 21 rows")
        let own = all[40].rowID
        let one = #Predicate<PressVolume> { $0.rowID == own }
        let plan = try store.query(ObjectQuery(where: one)).explain()
        #expect(plan.steps.map(\.description)[1] == "keep row = \(own): 1 rows")
        #expect(try store.fetch(PressVolume.self, where: one) == [all[40]])
    }

    @Test("a path through a relationship finds its targets, and then who refers to them")
    func paths() throws {
        let named = #Predicate<PressVolume> { $0.press?.name == "Press 7" }
        let press = try #require(try store.objects(of: Press.self).dropFirst(7).first).rowID
        #expect(
            try first(named) == "index press of PressVolume, press row \(press): 20 rows")
        #expect(try store.count(of: PressVolume.self, where: named) == 20)
        let late = #Predicate<PressVolume> { ($0.press?.founded ?? 0) > 1996 }
        #expect(try first(late) == "index press of PressVolume, press one of 3 values: 60 rows")
        let sold = #Predicate<PressVolume> { $0.sellers.contains { $0.name == "Press 3" } }
        let found = try store.fetch(PressVolume.self, where: sold)
        #expect(try first(sold).hasPrefix("index sellers of PressVolume, of 1 targets"))
        #expect(
            found.map(\.rowID)
                == (try store.objects(of: PressVolume.self)
                .filter { $0.sellers.contains { $0.name == "Press 3" } }).map(\.rowID).sorted())
        let both = #Predicate<PressVolume> { $0.press?.name == "Press 7" && $0.year == 1957 }
        #expect(try store.count(of: PressVolume.self, where: both) == 20)
        // Who refers to none may meet these.
        let other = #Predicate<PressVolume> { $0.press?.name != "Press 7" }
        #expect(try first(other) == "scan PressVolume: 2000 rows")
        #expect(try store.count(of: PressVolume.self, where: other) == 1980)
        let early = #Predicate<PressVolume> { ($0.press?.founded ?? 0) < 1902 }
        #expect(try first(early) == "scan PressVolume: 2000 rows")
        #expect(try store.count(of: PressVolume.self, where: early) == 60)
    }

    @Test("the targets of a path are looked up once, also where an order was thought of")
    func targetsAreLookedUpOnce() throws {
        let press = try #require(try store.indexKeeper?.indexes(of: store.registered(Press.self)))
        let name = try #require(press["name"])
        for offset in [0, 3] {
            let before = name.uses
            let query = ObjectQuery<PressVolume>(
                where: #Predicate { $0.press?.name == "Press 7" }, sortedBy: [.ascending(\.year)],
                limit: 15, offset: offset)
            #expect(try store.fetch(query).count == 15)
            #expect(name.uses == before + 1)
        }
        let before = name.uses
        let query = ObjectQuery<PressVolume>(
            where: #Predicate { $0.press?.name == "Press 7" },
            sortedBy: [.ascending(\.year), .ascending(\.title)], limit: 15)
        #expect(try store.fetch(query).count == 15)
        #expect(name.uses == before + 1)
    }

    @Test("a target without a value is not other than one")
    func absentValues() throws {
        for press in try store.objects(of: Press.self) where press.founded % 2 == 0 {
            press.closed = press.founded % 10
        }
        try store.save()
        let other = #Predicate<PressVolume> { ($0.press?.closed ?? 4) != 4 }
        let plain = try store.objects(of: PressVolume.self).count {
            ($0.press?.closed ?? 4) != 4
        }
        #expect(try store.count(of: PressVolume.self, where: other) == plain)
        #expect(try store.fetch(PressVolume.self, where: other).count == plain)
    }

    @Test("a condition on members may speak of their owner")
    func outerVariables() throws {
        for press in try store.objects(of: Press.self) { press.founded = 1953 }
        try store.save()
        let own = #Predicate<PressVolume> { volume in
            volume.sellers.contains { $0.name == "Press 3" && $0.founded == volume.year }
        }
        let plain = try store.objects(of: PressVolume.self).count { volume in
            volume.sellers.contains { $0.name == "Press 3" && $0.founded == volume.year }
        }
        #expect(plain > 0)
        #expect(try store.count(of: PressVolume.self, where: own) == plain)
    }

    @Test("targets count as they are now")
    func pendingTargets() throws {
        let named = #Predicate<PressVolume> { $0.press?.name == "Press 7" }
        let press = try #require(
            try store.query(Press.self).filter(#Predicate { $0.name == "Press 8" }).first())
        press.name = "Press 7"
        #expect(try store.count(of: PressVolume.self, where: named) == 40)
        let volume = try #require(try store.fetch(PressVolume.self, where: named).first)
        volume.press = nil
        #expect(try store.count(of: PressVolume.self, where: named) == 39)
        try store.save()
        #expect(try store.fetch(PressVolume.self, where: named).count == 39)
        try store.delete(press)
        #expect(try store.count(of: PressVolume.self, where: named) <= 20)
    }

    @Test("an index with the first column of an order stops at the limit, equal ones are sorted")
    func firstColumns() throws {
        let query = ObjectQuery<PressVolume>(
            sortedBy: [.descending(\.year), .ascending(\.title)], limit: 5, offset: 2)
        let plan = try store.query(query).explain()
        #expect(
            plan.steps.map(\.description) == [
                "index year of PressVolume in order: 40 rows",
                "sort by year descending, title, the first 7: 7 rows",
                "leave out the first 2: 5 rows", "at most 5: 5 rows",
            ])
        func expected() throws -> [RowID] {
            try store.objects(of: PressVolume.self).sorted {
                ($1.year, $0.title, $0.rowID) < ($0.year, $1.title, $1.rowID)
            }[2..<7].map(\.rowID)
        }
        #expect(try store.fetch(query).map(\.rowID) == expected())
        let new = PressVolume()
        (new.title, new.year) = ("A", 1999)
        store.insert(new)
        try store.delete(try store.fetch(query)[0])
        #expect(try store.fetch(query).map(\.rowID) == expected())
    }

    @Test("a number below 0 is a constant")
    func negativeNumbers() throws {
        let early = try first(#Predicate { $0.year < -5 })
        #expect(early == "index year of PressVolume, year ..<-5: 0 rows")
        #expect(try store.count(of: PressVolume.self, where: #Predicate { $0.year > -5 }) == 2000)
    }

    @Test("what is unequal to the most common value, and what is nil in a constant's place")
    func intervals() throws {
        try store.query(PressVolume.self).filter(#Predicate { $0.year > 1951 }).update {
            $0.year = 1951
        }
        try store.save()
        let rare = #Predicate<PressVolume> { $0.year != 1951 }
        #expect(try first(rare) == "index year of PressVolume, year other than 1951: 40 rows")
        #expect(try store.count(of: PressVolume.self, where: rare) == 40)
    }
}
