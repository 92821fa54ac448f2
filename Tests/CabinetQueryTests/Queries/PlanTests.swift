import Cabinet
import Foundation
import Testing

struct PlanTests {
    let catalogue: Catalogue

    init() throws {
        catalogue = try Catalogue()
        for index in 0..<40 {
            let piece = Piece("Piece \(index)", year: 1950 + index, rating: Int32(index % 6))
            piece.maker = index == 3 ? Maker("Ann") : nil
            catalogue.store.insert(piece)
        }
    }

    func plan(_ query: ObjectQuery<Piece>) throws -> QueryPlan {
        try catalogue.reopened().query(query).explain()
    }

    @Test func fieldsAreAskedOfRecords() throws {
        func check(_ predicate: Predicate<Piece>, _ condition: String, _ rows: Int) throws {
            let plan = try plan(ObjectQuery(where: predicate))
            #expect(plan.objectsMade == 0)
            #expect(
                plan.steps.map(\.action)[1] == .filter(condition: condition, makesObjects: false))
            #expect(plan.steps.map(\.rows) == [40, rows])
        }
        try check(
            #Predicate { $0.year > 1960 && $0.rating <= 4 }, "year > 1960 and rating <= 4", 24)
        try check(
            #Predicate { $0.title == "a\"" || $0.subtitle == nil },
            #"title = "a\"" or subtitle = nil"#, 40)
        let calm = Temper.calm
        try check(
            #Predicate { $0.mood == calm && !$0.isLive }, "mood = calm and not isLive = true", 40)
        try check(
            #Predicate { ($0.plays ?? 0) < 5 && 1 > $0.score },
            "(plays < 5 or plays = nil) and score < 1.0", 40)
        try check(
            #Predicate { $0.tags.isEmpty && $0.tempo == 0 },
            "a condition on fields and tempo = 0.0", 40)
    }

    @Test func objectsAreMadeWhereAPredicateNeedsThem() throws {
        let maker = try plan(ObjectQuery(where: #Predicate<Piece> { $0.maker?.name == "Ann" }))
        #expect(maker.objectsMade == 40 && maker.steps.last?.rows == 1)
        // Only of what the first part leaves.
        let later = try plan(
            ObjectQuery(where: #Predicate<Piece> { $0.year < 1955 && $0.maker?.name == "Ann" }))
        #expect(later.objectsMade == 5 && later.steps.last?.rows == 1)
        let property = try plan(ObjectQuery(where: #Predicate<Piece> { $0.loudTitle == "PIECE 7" }))
        #expect(property.objectsMade == 40)
        let closure = try plan(ObjectQuery(where: { $0.year == 1951 }))
        #expect(closure.objectsMade == 40)
    }

    @Test func aPlanShowsItsSteps() throws {
        let query = ObjectQuery<Piece>(
            where: #Predicate { $0.rating > 3 },
            sortedBy: [.descending(\.year), .ascending(\.title)],
            limit: 5, offset: 2)
        #expect(
            try plan(query).description == """
                scan Piece: 40 rows
                keep rating > 3: 12 rows
                sort by year descending, title, the first 7: 7 rows
                leave out the first 2: 5 rows
                at most 5: 5 rows
                """)
        let store = try catalogue.reopened()
        #expect(
            try store.query(Piece.self).filter { $0.isLive }.explain(running: false).description
                == """
                scan Piece: about 40 rows
                keep a closure (makes objects)
                """)
    }
}
