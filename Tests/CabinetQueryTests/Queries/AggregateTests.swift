import Cabinet
import Foundation
import Testing

struct AggregateTests {
    let store: Store

    init() throws {
        let catalogue = try Catalogue()
        for index in 0..<60 {
            let piece = Piece("t\(index % 9)", year: index % 5, rating: Int32(index))
            piece.subtitle = index % 4 == 0 ? nil : "s\(index % 3)"
            piece.score = Double(index) / 2
            piece.plays = index % 2 == 0 ? nil : UInt64(index)
            piece.price = Decimal(index) / 100
            catalogue.store.insert(piece)
        }
        store = try catalogue.reopened()
    }

    @Test func numbersAreAddedUp() throws {
        let isLate = #Predicate<Piece> { $0.rating >= 50 }
        #expect(try store.query(Piece.self).sum(\.rating) == 1770)
        #expect(try store.query(Piece.self).filter(isLate).sum(\.rating) == 545)
        #expect(try store.query(Piece.self).sum(\.score) == 885)
        #expect(try store.query(Piece.self).sum(\.plays) == 900)
        #expect(try store.query(Piece.self).sum(\.price) == Decimal(1770) / 100)
        #expect(try store.query(Piece.self).filter(isLate).average(\.rating) == 54.5)
        #expect(try store.query(Piece.self).average(\.plays) == 30)
        #expect(
            try store.query(Piece.self).filter(#Predicate { $0.year > 7 }).average(\.rating) == nil)
        #expect(try store.query(Piece.self).filter(isLate).minimum(\.rating) == 50)
        #expect(try store.query(Piece.self).maximum(\.subtitle) == "s2")
        #expect(try store.query(Piece.self).minimum(\.subtitle) == "s0")
        #expect(
            try store.query(Piece.self).filter(isLate).joined(\.title)
                == "t5, t6, t7, t8, t0, t1, t2, t3, t4, t5")
        let (count, sum) = try store.query(Piece.self).filter(isLate).aggregate(
            .count, .sum(\.year))
        #expect(count == 10 && sum == 20)
    }

    @Test func aSumThatIsTooLargeIsAnError() throws {
        let pieces = try store.objects(of: Piece.self)
        pieces[0].plays = .max
        #expect(throws: QueryError.sumOverflow) { try store.query(Piece.self).sum(\.plays) }
        pieces[0].year = .max
        #expect(throws: QueryError.sumOverflow) { try store.query(Piece.self).sum(\.year) }
        pieces[1].year = .min
        #expect(try store.query(Piece.self).maximum(\.year) == .max)
    }

    @Test func groupsComeInTheOrderOfTheirKeys() throws {
        let groups = try store.query(Piece.self).groups(
            by: \.year, .count, .sum(\.rating), .max(\.title))
        #expect(groups.map(\.key) == [0, 1, 2, 3, 4])
        #expect(groups.map(\.results.0) == [12, 12, 12, 12, 12])
        #expect(groups.map(\.results.1) == [330, 342, 354, 366, 378])
        #expect(groups.allSatisfy { $0.results.2 == "t8" })
        let isLate = #Predicate<Piece> { $0.rating >= 56 }
        let some = try store.query(Piece.self).filter(isLate).groups(
            by: \.subtitle, .joined(\.title, separator: ""))
        #expect(some.map(\.key) == [nil, "s0", "s1", "s2"])
        #expect(some.map { $0.results } == ["t2", "t3", "t4", "t5"])
        #expect(try store.query(Piece.self).distinctValues(of: \.title) == (0..<9).map { "t\($0)" })
        #expect(
            try store.query(Piece.self).distinctValues(of: \.subtitle) == [nil, "s0", "s1", "s2"])
    }

    @Test func sectionsHoldObjectsInOrder() throws {
        let sections = try store.query(Piece.self).filter(#Predicate { $0.rating < 20 }).sorted(
            by: .descending(\.title)
        ).sections(by: \.year)
        #expect(sections.map(\.key) == [0, 1, 2, 3, 4])
        #expect(sections[0].objects.map(\.title) == ["t6", "t5", "t1", "t0"])
        #expect(sections.reduce(0) { $0 + $1.objects.count } == 20)
        let described = try store.query(Piece.self).sorted(by: [
            SortDescriptor(\.title, order: .reverse)
        ]).sections(by: \.year)
        let ordered = try store.query(Piece.self).sorted(by: .descending(\.title)).sections(
            by: \.year)
        #expect(described.map(\.objects) == ordered.map(\.objects))
        let optional = try store.query(Piece.self).sections(by: \.subtitle)
        #expect(optional.map(\.key) == [nil, "s0", "s1", "s2"])
        #expect(optional[0].objects.map(\.rating) == (0..<15).map { $0 * 4 })
        #expect(
            try store.query(Piece.self).filter(#Predicate { $0.year > 9 }).sections(by: \.year)
                .isEmpty)
    }

    @Test func rowsAndValuesNeedNoObjects() throws {
        let query = ObjectQuery<Piece>(
            where: #Predicate { $0.year == 2 }, sortedBy: [.descending(\.rating)], limit: 3)
        let rows = try store.query(query).rowIDs()
        #expect(try store.query(Piece.self).values(\.rating).count == store.count(of: Piece.self))
        #expect(try store.query(Piece.self).limit(2).values(\.rating).count == 2)
        let values = try store.query(query).values(\.title, \.rating)
        #expect(values.map(\.0) == ["t3", "t7", "t2"] && values.map(\.1) == [57, 52, 47])
        #expect(try store.metadata(of: Piece.self).liveObjects == 0)
        #expect(try store.fetch(query).map(\.rowID) == rows)
        #expect(try store.query(query).values(\.loudTitle) == ["T3", "T7", "T2"])
    }

    @Test func manyAreChangedInOneStep() throws {
        store.undoHistory.isEnabled = true
        let isWanted = #Predicate<Piece> { $0.year == 2 }
        #expect(try store.query(Piece.self).filter(isWanted).update { $0.year = 20 } == 12)
        #expect(try store.count(of: Piece.self, where: isWanted) == 0)
        #expect(try store.query(Piece.self).filter(#Predicate { $0.year == 20 }).delete() == 12)
        #expect(try store.count(of: Piece.self) == 48)
        #expect(try store.undoHistory.undo())
        #expect(try store.query(Piece.self).sum(\.year) == 24 * 4 + 12 * 20 - 24 * 2 + 48)
        #expect(try store.undoHistory.undo())
        #expect(try store.count(of: Piece.self, where: isWanted) == 12)
        struct Refused: Error {}
        #expect(throws: Refused.self) {
            try store.query(Piece.self).update { piece in
                if piece.rating == 30 { throw Refused() }
                piece.title = "changed"
            }
        }
        #expect(try store.count(of: Piece.self, where: #Predicate { $0.title == "changed" }) == 0)
    }

    @Test func aWalkMeetsWhatIsFound() throws {
        var met: [Int32] = []
        try store.query(Piece.self).filter(#Predicate { $0.rating < 5 }).forEachObject {
            met.append($0.rating)
        }
        #expect(met.sorted() == [0, 1, 2, 3, 4])
        met = []
        let query = ObjectQuery<Piece>(sortedBy: [.descending(\.rating)], limit: 3, offset: 1)
        try store.query(query).forEachObject { met.append($0.rating) }
        #expect(met == [58, 57, 56])
        #expect(try store.metadata(of: Piece.self).liveObjects == 0)
    }
}
