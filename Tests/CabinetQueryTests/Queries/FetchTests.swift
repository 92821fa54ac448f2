import Cabinet
import Foundation
import Testing

struct FetchTests {
    let catalogue: Catalogue

    init() throws {
        catalogue = try Catalogue()
        for index in 0..<40 {
            let piece = Piece("Piece \(index)", year: 1950 + index, rating: Int32(index % 6))
            piece.subtitle = index % 3 == 0 ? nil : "sub \(index % 4)"
            piece.score = index % 7 == 0 ? .nan : Double(index) / 4
            piece.plays = index % 2 == 0 ? nil : UInt64(index)
            piece.released = Date(timeIntervalSinceReferenceDate: Double(index) * 1000)
            piece.isLive = index % 5 == 0
            piece.mood = Temper.allCases[index % 3]
            piece.tags = index % 4 == 0 ? ["a", "b"] : ["c"]
            piece.price = Decimal(index) / 10
            catalogue.store.insert(piece)
        }
    }

    /// What Foundation makes of it, in the order of rows.
    func expected(_ store: Store, _ predicate: Predicate<Piece>) throws -> [RowID] {
        try store.objects(of: Piece.self).filter { try predicate.evaluate($0) }.map(\.rowID)
    }

    /// The rows by a store that has nothing in memory, by one that has all, and by Foundation.
    func check(_ predicate: Predicate<Piece>, _ location: SourceLocation = #_sourceLocation) throws
    {
        let store = try catalogue.reopened()
        let cold = try store.fetch(Piece.self, where: predicate).map(\.rowID)
        let all = try store.objects(of: Piece.self)
        let warm = try store.fetch(Piece.self, where: predicate).map(\.rowID)
        let expected = try expected(store, predicate)
        #expect(cold == expected, sourceLocation: location)
        #expect(warm == expected, sourceLocation: location)
        #expect(all.count == 40)
        #expect(!expected.isEmpty && expected.count < 40, sourceLocation: location)
    }

    @Test func predicatesMeanWhatFoundationMakesOfThem() throws {
        try check(#Predicate { $0.year > 1960 })
        try check(#Predicate { 1960 >= $0.year })
        try check(#Predicate { $0.title == "Piece 7" || $0.title > "Piece 38" })
        try check(#Predicate { $0.subtitle == nil })
        try check(#Predicate { $0.subtitle != "sub 2" && $0.year < 1970 })
        try check(#Predicate { ($0.subtitle ?? "none") == "none" })
        try check(#Predicate { $0.score > 2 && $0.score <= 8 })
        try check(#Predicate { !($0.score < 2) })
        try check(#Predicate { $0.isLive })
        try check(#Predicate { !$0.isLive && $0.rating == 3 })
        try check(#Predicate { $0.title.contains("3") })
        try check(#Predicate { $0.title.starts(with: "Piece 1") })
        try check(#Predicate { $0.tags.contains("b") })
        try check(#Predicate { $0.tags.count == 1 && !$0.title.isEmpty })
        try check(#Predicate { $0.year - 1950 > 5 && $0.year % 2 == 0 })
        try check(#Predicate { (1960..<1970).contains($0.year) })
        try check(#Predicate { (1960...1970).contains($0.year) })
        try check(#Predicate { [1955, 1957, 2000].contains($0.year) })
        try check(#Predicate { $0.rating == 2 ? $0.isLive : $0.year > 1985 })
        try check(#Predicate { $0.plays == 3 || $0.plays == nil })
        try check(#Predicate { $0.tags.contains { $0 == "a" } })
        let mood = Temper.wild
        try check(#Predicate { $0.mood == mood })
        let date = Date(timeIntervalSinceReferenceDate: 10_000)
        try check(#Predicate { $0.released == date })
        let price: Decimal = 2
        try check(#Predicate { $0.price < price })
    }

    @Test func aPropertyThatReadsAFieldIsNoField() throws {
        try check(#Predicate { $0.loudTitle == "PIECE 7" })
        try check(#Predicate { $0.certainYear > 1970 })
    }

    @Test func objectsAreMadeOnlyOfWhatIsFound() throws {
        let store = try catalogue.reopened()
        let found = try store.fetch(Piece.self, where: #Predicate { $0.year > 1985 })
        #expect(found.count == 4)
        // An optimised build would let them go where they are used last.
        defer { withExtendedLifetime(found) {} }
        #expect(try store.metadata(of: Piece.self).liveObjects == 4)
        #expect(try store.count(of: Piece.self, where: #Predicate { $0.title > "Piece 3" }) == 16)
        #expect(try store.metadata(of: Piece.self).liveObjects == 4)
    }

    @Test func aClosureIsAskedOfEachObject() throws {
        let store = try catalogue.reopened()
        let found = try store.query(Piece.self).filter { $0.certainYear > 2000 }.limit(3).objects()
        #expect(found.map(\.year) == [1976, 1977, 1978])
        nonisolated(unsafe) let saving = store
        #expect(throws: StoreError.enumerating) {
            try store.query(Piece.self).filter { _ in
                try saving.save()
                return true
            }.objects()
        }
    }

    @Test func whatIsPendingCountsAsItIsInMemory() throws {
        let store = try catalogue.reopened()
        let pieces = try store.objects(of: Piece.self)
        let isWanted = #Predicate<Piece> { $0.year >= 1985 }
        pieces[0].year = 3000
        pieces[39].year = 1
        try store.delete(pieces[38])
        store.insert(Piece("new", year: 1990))
        store.insert(Piece("new", year: 1980))
        let found = try store.fetch(Piece.self, where: isWanted)
        #expect(found.map(\.year) == [3000, 1985, 1986, 1987, 1990])
        #expect(try store.count(of: Piece.self, where: isWanted) == 5)
        #expect(try store.count(of: Piece.self, where: nil) == 41)
        #expect(try store.query(Piece.self).filter(isWanted).first()?.year == 3000)
        #expect(try store.query(Piece.self).filter(#Predicate { $0.year == 1990 }).exists())
        #expect(try !store.query(Piece.self).filter(#Predicate { $0.year == 1988 }).exists())
    }

    @Test func subclassesCountIfAskedFor() throws {
        catalogue.store.insert(LivePiece("Live", year: 1987))
        catalogue.store.insert(LivePiece("Other", year: 1))
        let store = try catalogue.reopened()
        let isWanted = #Predicate<Piece> { $0.year >= 1987 }
        #expect(try store.fetch(Piece.self, where: isWanted).count == 3)
        let all = try store.query(Piece.self).filter(isWanted).includingSubclasses().objects()
        #expect(all.map(\.title) == ["Piece 37", "Piece 38", "Piece 39", "Live"])
        let own = try store.fetch(LivePiece.self, where: #Predicate { $0.year > 1 })
        #expect(own.map(\.title) == ["Live"])
    }

    @Test func handWrittenClassesAreAskedAsObjects() throws {
        for title in ["one", "two", "three"] {
            let ballad = Ballad()
            ballad.title = title
            catalogue.store.insert(ballad)
        }
        let store = try catalogue.reopened()
        let found = try store.fetch(Ballad.self, where: #Predicate { $0.title > "p" })
        #expect(found.map(\.title) == ["two", "three"])
    }
}
