import Foundation
import Testing

@testable import Cabinet

@Suite("Orders by indexes")
struct IndexOrderTests {
    let store: Store

    init() throws { store = try Take.makeStore() }

    private func plan(_ query: ObjectQuery<Take>) throws -> [String] {
        try store.query(query).explain().steps.map(\.description)
    }

    @Test("an index in the query's order is read no further than the limit needs")
    func order() throws {
        #expect(
            try plan(ObjectQuery(sortedBy: [.descending(\.year)], limit: 3))
                == ["index year of Take in order: 3 rows", "at most 3: 3 rows"])
        let byYear = SortDescriptor(\Take.year, order: .reverse)
        #expect(
            try plan(ObjectQuery(sortedBy: [byYear], limit: 3))
                == ["index year of Take in order: 3 rows", "at most 3: 3 rows"])
        #expect(
            try plan(
                ObjectQuery(
                    where: #Predicate { $0.artist == "Artist 3" && $0.year > 1950 },
                    sortedBy: [.ascending(\.artist), .ascending(\.year)], limit: 3, offset: 10))
                == [
                    #"index artist.year of Take in order, artist "Artist 3", year 1950...: 3 rows"#,
                    #"keep artist = "Artist 3" and year > 1950: 3 rows"#,
                    "leave out the first 10: 3 rows", "at most 3: 3 rows",
                ])
        #expect(
            try plan(ObjectQuery(sortedBy: [.ascending(\.title, .caseInsensitive)], limit: 2))[0]
                == "index title.caseInsensitive of Take in order: 2 rows")
        for other: [ObjectOrder<Take>] in [
            [.ascending(\.title)], [.ascending(\.artist)],
            [.ascending(\.artist), .descending(\.year)], [.ascending(\.score)],
        ] {
            #expect(
                try plan(ObjectQuery(sortedBy: other, limit: 3))[0] == "scan Take: 1000 rows")
        }
    }

    @Test("rows of equal keys are in their own order, whichever way the index is read")
    func tiesAndOffsets() throws {
        for number in 0..<1500 {
            let track = Take("More \(number)", artist: "Many", year: 1950 + number % 3)
            store.insert(track)
        }
        try store.save()
        let all = try store.objects(of: Take.self)
        func check(_ pending: String) throws {
            for isDescending in [false, true] {
                let sorted = all.filter { !$0.isDeleted }.sorted {
                    $0.year == $1.year
                        ? $0.rowID < $1.rowID : ($0.year < $1.year) != isDescending
                }.map(\.rowID)
                for offset in [0, 1, 9, 10, 495, 500, 512, 700, 1013, 1600, 2100, 2499, 2500] {
                    let query = ObjectQuery<Take>(
                        sortedBy: [isDescending ? .descending(\.year) : .ascending(\.year)],
                        limit: 25, offset: offset)
                    let found = try store.fetch(query).map(\.rowID)
                    #expect(
                        found == Array(sorted.dropFirst(offset).prefix(25)),
                        "\(offset) \(isDescending) \(pending)")
                    #expect(try store.query(query).rowIDs() == found)
                }
            }
        }
        try check("saved")
        for track in all where track.rowID.rawValue % 97 == 0 { track.year = 1951 }
        for track in all where track.rowID.rawValue % 89 == 0 { try store.delete(track) }
        try check("pending")
    }

    @Test("a walk in order that finds too little is given up")
    func givenUp() throws {
        let query = ObjectQuery<Take>(
            where: #Predicate { $0.score > 100 }, sortedBy: [.ascending(\.year)], limit: 3)
        #expect(try plan(query)[0] == "scan Take: 1000 rows")
        #expect(try store.fetch(query).isEmpty)
    }

    @Test("equal keys that were cut are no order")
    func cutKeys() throws {
        let store = try Store(inMemory: [Take.self])
        let long = String(repeating: "x", count: 1100)
        for ending in ["b", "a", "c"] { store.insert(Take(long + ending)) }
        try store.save()
        store.reckonWithDearScans()
        let found = try store.fetch(
            Take.self, sortedBy: [.ascending(\.title, .caseInsensitive)], limit: 2)
        #expect(found.count == 2)
        let title = long + "a"
        #expect(try store.count(of: Take.self, where: #Predicate { $0.title == title }) == 1)
    }
}
