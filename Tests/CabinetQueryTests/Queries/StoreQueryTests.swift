import Cabinet
import Foundation
import Testing

/// Queries that are made step by step, without a store and with one.
struct StoreQueryTests {
    let catalogue: Catalogue
    let store: Store

    init() throws {
        catalogue = try Catalogue()
        for index in 0..<40 {
            let piece = Piece("Piece \(index)", year: 1950 + index, rating: Int32(index % 6))
            piece.subtitle = index % 3 == 0 ? nil : "sub \(index % 4)"
            catalogue.store.insert(piece)
        }
        let live = LivePiece("Live", year: 2000, rating: 5)
        catalogue.store.insert(live)
        try catalogue.store.save()
        store = try catalogue.reopened()
    }

    @Test func eachFilterIsAskedBesidesTheOthers() throws {
        let query = store.query(Piece.self).filter(#Predicate { $0.year >= 1960 })
            .filter(#Predicate { $0.rating == 4 }).filter { $0.certainYear < 2010 }
        let expected = try store.objects(of: Piece.self).filter {
            $0.year >= 1960 && $0.rating == 4 && $0.certainYear < 2010
        }
        #expect(try query.objects() == expected && !expected.isEmpty)
        #expect(try query.count() == expected.count)
        #expect(try query.exists())
        #expect(try query.first() == expected.first)
        #expect(try !query.filter(#Predicate { $0.year == 1950 }).exists())
        #expect(
            try query.filter(#Predicate { $0.year == 1950 }).explain().steps.last?.rows == 0)
    }

    @Test func aStepLeavesTheQueryBeforeAsItWas() throws {
        let all = store.query(Piece.self)
        _ = all.filter(#Predicate { $0.year > 1960 }).limit(3).sorted(by: \.title)
        #expect(try all.count() == 40)
        #expect(all.query.sortedBy.isEmpty && all.query.limit == nil)
    }

    @Test func ordersGoBehindThoseOfEarlierCalls() throws {
        let expected = try store.objects(of: Piece.self).sorted {
            ($0.rating, $1.subtitle ?? "", $1.year) < ($1.rating, $0.subtitle ?? "", $0.year)
        }
        let orders: [ObjectOrder<Piece>] = [.descending(\.subtitle), .descending(\.year)]
        #expect(
            try store.query(Piece.self).sorted(by: \.rating).sorted(by: orders).objects()
                == expected)
        #expect(
            try store.query(Piece.self)
                .sorted(by: .ascending(\.rating), .descending(\.subtitle), .descending(\.year))
                .objects() == expected)
        #expect(
            try store.query(Piece.self)
                .sorted(by: [SortDescriptor(\.rating), SortDescriptor(\.year, order: .reverse)])
                .first()?.year == 1986)
        #expect(try store.query(Piece.self).sorted(by: \.subtitle).first()?.subtitle == nil)
    }

    @Test func theLastLimitAndOffsetHold() throws {
        let query = store.query(Piece.self).sorted(by: \.year).limit(3).offset(9).limit(2)
            .offset(4)
        #expect(try query.objects().map(\.year) == [1954, 1955])
        #expect(try query.limit(nil).count() == 36)
        #expect(try query.limit(0).first() == nil)
        #expect(try query.offset(40).first() == nil)
    }

    @Test func subclassesCountIfAsked() throws {
        #expect(try store.query(Piece.self).includingSubclasses().count() == 41)
        #expect(
            try store.query(Piece.self).includingSubclasses().includingSubclasses(false)
                .count() == 40)
    }

    @Test func aQueryWithoutAStoreServesAny() throws {
        let late = ObjectQuery<Piece>().filter(#Predicate { $0.year > 1980 }).sorted(by: \.title)
        let other = try catalogue.reopened()
        #expect(try store.query(late).objects().map(\.rowID) == other.fetch(late).map(\.rowID))
        #expect(try store.query(late).limit(2).count() == 2)
        // It may cross to another isolation domain.
        func requireSendable(_: some Sendable) {}
        requireSendable(late)
    }

    @Test func aFilterInTextJoinsOthers() throws {
        let query = try store.query(Piece.self).filter(#Predicate { $0.rating > 3 })
            .filter(text: "year > ? AND year < ? ORDER BY year DESC LIMIT 3", 1960, 1980)
        #expect(try query.objects().map(\.year) == [1979, 1978, 1973])
        #expect(try query.filter(text: "year < 1979").objects().map(\.year) == [1978, 1973, 1972])
        #expect(throws: QuerySyntaxError.self) {
            try store.query(Piece.self).filter(text: "year >")
        }
        #expect(throws: QuerySyntaxError.self) {
            try store.query(Piece.self).filter(text: "yeer > 1").count()
        }
    }

    @Test func sumsAndGroupsAreOfTheFirstObjectsAlone() throws {
        let last = store.query(Piece.self).sorted(by: .descending(\.year)).limit(4).offset(1)
        let expected = try last.objects()
        #expect(expected.map(\.year) == [1988, 1987, 1986, 1985])
        #expect(try last.sum(\.year) == 1988 + 1987 + 1986 + 1985)
        let (count, least) = try last.aggregate(.count, .min(\.year))
        #expect(count == 4 && least == 1985)
        #expect(try last.aggregate(.count) == 4)
        #expect(try last.minimum(\.year) == 1985)
        #expect(try last.maximum(\.subtitle) == expected.compactMap(\.subtitle).max())
        #expect(try last.distinctValues(of: \.rating) == [0, 1, 2, 5])
        #expect(try last.groups(by: \.subtitle, .count).map(\.results).reduce(0, +) == 4)
        #expect(try last.joined(\.title) == expected.map(\.title).joined(separator: ", "))
        #expect(try last.sections(by: \.rating).flatMap(\.objects).count == 4)
        #expect(try last.rank(of: expected[0]) == 1, "its own limit and offset do not count")
        var met: [Int] = []
        try last.forEachObject { met.append($0.year) }
        #expect(met == expected.map(\.year))
        #expect(try last.update { $0.rating = 77 } == 4)
        #expect(try store.count(of: Piece.self, where: #Predicate { $0.rating == 77 }) == 4)
        #expect(try last.delete() == 4)
        #expect(try store.count(of: Piece.self) == 36)
    }

    @Test func groupsOfTheFirstObjectsCountSubclasses() throws {
        let all = store.query(Piece.self).includingSubclasses().sorted(by: .descending(\.year))
        #expect(try all.limit(2).groups(by: \.year, .count).map(\.key) == [1989, 2000])
        #expect(try all.limit(1).sum(\.year) == 2000)
    }
}
