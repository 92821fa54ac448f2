import Foundation
import Testing

@testable import Cabinet
@testable import CabinetTestModel

/// A class with indexes that overlap.
final class Take: StoredObject {
    @Field var title = ""
    @Field var artist = ""
    @Field var year = 0
    @Field var code: String?
    @Field var score = 0.0

    convenience init(_ title: String, artist: String = "", year: Int = 0) {
        self.init()
        (self.title, self.artist, self.year) = (title, artist, year)
    }

    override class var indexes: [Index] {
        [
            .ordered(\Take.artist, \Take.year),
            .ordered(\Take.year),
            .unique(\Take.code),
            .ordered(\Take.title, collation: .caseInsensitive),
            .ordered(\Take.score, named: "rated", where: { $0.score > 0 }),
        ]
    }
}

extension Take {
    /// 1,000 tracks of 10 artists, 100 years each.
    static func makeStore() throws -> Store { try fill(try Store(inMemory: [Take.self])) }

    @discardableResult
    static func fill(_ store: Store) throws -> Store {
        for number in 0..<1000 {
            let track = Take(
                "Title \(number)", artist: "Artist \(number % 10)", year: 1900 + number / 10)
            track.code = "C\(number)"
            track.score = Double(number % 7)
            store.insert(track)
        }
        try store.save()
        return store
    }
}

@Suite("Plans by indexes")
struct IndexPlanTests {
    let store: Store

    init() throws { store = try Take.makeStore() }

    private func plan(_ query: ObjectQuery<Take>) throws -> [String] {
        try store.query(query).explain().steps.map(\.description)
    }

    private func firstStep(_ predicate: Predicate<Take>) throws -> String {
        try #require(try store.query(ObjectQuery(where: predicate)).explain().steps.first)
            .description
    }

    @Test("equal values and one interval are found together")
    func equalAndInterval() throws {
        let found = try firstStep(#Predicate { $0.artist == "Artist 3" && $0.year >= 1990 })
        #expect(found == #"index artist.year of Take, artist "Artist 3", year 1990...: 10 rows"#)
        let both = try firstStep(
            #Predicate { $0.year < 1993 && $0.artist == "Artist 3" && $0.year >= 1990 })
        #expect(both.hasSuffix(": 3 rows"))
        let year = try firstStep(#Predicate { $0.year == 1950 })
        #expect(year == "index year of Take, year 1950: 10 rows")
    }

    @Test("the index with the fewest rows is taken")
    func fewestRows() throws {
        let found = try firstStep(#Predicate { $0.artist == "Artist 3" && $0.code == "C13" })
        #expect(found == #"index code of Take, code "C13": 1 rows"#)
    }

    @Test("constants and alternatives become ranges")
    func alternatives() throws {
        let years = [1901, 1950, 1901, 2500]
        #expect(
            try firstStep(#Predicate { years.contains($0.year) })
                == "index year of Take, year one of 4 values: 20 rows")
        #expect(
            try firstStep(#Predicate { $0.year == 1901 || $0.year == 1902 })
                == "index year of Take, year one of 2 values: 20 rows")
        #expect(
            try firstStep(#Predicate { (1901...1902).contains($0.year) })
                == "index year of Take, year 1901...1902: 20 rows")
        #expect(
            try firstStep(#Predicate { $0.artist == "Artist 1" && years.contains($0.year) })
                .hasSuffix(": 2 rows"))
        #expect(
            try firstStep(#Predicate { $0.artist.starts(with: "Artist") && $0.year == 1901 })
                == "index year of Take, year 1901: 10 rows")
    }

    @Test("a collation narrows what it calls equal, and no order but its own")
    func collations() throws {
        #expect(
            try firstStep(#Predicate { $0.title == "Title 7" })
                == #"index title.caseInsensitive of Take, title "Title 7": 1 rows"#)
        #expect(try firstStep(#Predicate { $0.title < "Title 1" }) == "scan Take: 1000 rows")
        #expect(
            try firstStep(#Predicate { $0.title.starts(with: "Title 99") })
                == #"index title.caseInsensitive of Take, title "Title 99"*: 11 rows"#)
    }

    @Test("what leaves many rows is scanned, and an index of a subset is left alone")
    func scans() throws {
        #expect(try firstStep(#Predicate { $0.year > 1910 }) == "scan Take: 1000 rows")
        #expect(try firstStep(#Predicate { $0.score == 3 }) == "scan Take: 1000 rows")
        #expect(try firstStep(#Predicate { $0.year != 1910 }) == "scan Take: 1000 rows")
        #expect(
            try firstStep(#Predicate { $0.year == 1901 || $0.score == 3 })
                == "scan Take: 1000 rows")
    }

    @Test("pending changes count beside what an index says")
    func pendingChanges() throws {
        let query = ObjectQuery<Take>(where: #Predicate { $0.year == 1950 })
        let found = try store.fetch(query)
        #expect(found.count == 10)
        found[0].year = 1951
        try store.delete(found[1])
        let new = Take("New", year: 1950)
        store.insert(new)
        let moved = try #require(
            try store.query(Take.self).filter(#Predicate { $0.year == 1999 }).first())
        moved.year = 1950
        #expect(try store.query(query).count() == 10)
        let rows = try store.fetch(query).map(\.rowID)
        #expect(rows == (found[2...].map(\.rowID) + [new.rowID, moved.rowID]).sorted())
        store.rollback()
        #expect(try store.fetch(query).map(\.rowID) == found.map(\.rowID))
    }

    @Test("an index that is used is counted")
    func uses() throws {
        let indexes = try #require(
            try store.indexKeeper?.indexes(of: try store.registered(Take.self)))
        _ = try store.fetch(Take.self, where: #Predicate { $0.year == 1950 })
        #expect(indexes["year"]?.uses == 1 && indexes["artist.year"]?.uses == 0)
    }

    // MARK: Several indexes

    @Test("alternatives of several indexes are united, parts of several intersected")
    func severalIndexes() throws {
        #expect(
            try plan(
                ObjectQuery(
                    where: #Predicate {
                        $0.year == 1901 || $0.code == "C5"
                            || $0.artist == "Artist 2" && $0.year < 1902
                    }))
                == [
                    "index year of Take, year 1901: about 10 rows",
                    #"index code of Take, code "C5": about 1 rows"#,
                    #"index artist.year of Take, artist "Artist 2", year ..<1902: about 2 rows"#,
                    "rows of any of the 3: 12 rows",
                    #"keep year = 1901 or code = "C5" or (artist = "Artist 2" and year < 1902): 12 rows"#,
                ])
        let query = ObjectQuery<Take>(
            where: #Predicate {
                $0.title.starts(with: "Title 1") && $0.year > 1905 && $0.year < 1930
            })
        #expect(
            try plan(query) == [
                "index title.caseInsensitive of Take, title \"Title 1\"*: about 111 rows",
                "index year of Take, year 1905..., year ..<1930: about 240 rows",
                "rows of all 2: 100 rows",
                #"keep title starts with "Title 1" and year > 1905 and year < 1930: 100 rows"#,
            ])
        #expect(try store.query(query).count() == 100)
    }

    // MARK: One value

    @Test("one value of a field is looked up, as its predicate says and pending changes have it")
    func oneValue() throws {
        let indexes = try #require(
            try store.indexKeeper?.indexes(of: try store.registered(Take.self)))
        func codes(_ code: String?) throws -> [String] {
            try store.fetch(Take.self, where: #Predicate { $0.code == code }).map(\.title)
        }
        #expect(try codes("C5") == ["Title 5"])
        #expect(try codes("C5000").isEmpty && codes(nil).isEmpty)
        #expect(indexes["code"]?.uses ?? 0 >= 2)
        let year = 1950
        let query = ObjectQuery<Take>(where: #Predicate { $0.year == year })
        #expect(try store.fetch(query).map(\.year) == Array(repeating: 1950, count: 10))
        let track = try #require(try store.fetch(query).first)
        track.code = nil
        #expect(try codes(nil) == [track.title] && codes("C500").isEmpty)
        try store.delete(track)
        try store.save()
        #expect(try store.fetch(query).count == 9)
        #expect(try codes("C500").isEmpty)
        // A text that is equal, with other bytes.
        let accent = Take("x", artist: "e\u{301}")
        store.insert(accent)
        try store.save()
        #expect(try store.fetch(Take.self, where: #Predicate { $0.artist == "é" }) == [accent])
        #expect(try store.fetch(Take.self, where: #Predicate { $0.title == "X" }).isEmpty)
    }

    @Test("an index of elements finds the collections that have one")
    func elements() throws {
        let store = try Store(inMemory: [IndexedSong.self, IndexedAlbum.self])
        let album = IndexedAlbum()
        album.name = "One"
        store.insert(album)
        for number in 0..<200 {
            let song = IndexedSong("Song \(number)")
            song.tags = ["t\(number % 50)", "t\(number % 40)"]
            song.album = album
            store.insert(song)
        }
        try store.save()
        let query = ObjectQuery<IndexedSong>(where: #Predicate { $0.tags.contains("t7") })
        #expect(
            try store.query(query).explain().steps.first?.description
                == #"index tags of IndexedSong, tags with "t7": 8 rows"#)
        #expect(try store.query(query).count() == 8)
        let reopened = try Store(
            backend: store.backend, classes: [IndexedSong.self, IndexedAlbum.self])
        let songs = try reopened.query(IndexedSong.self).filter(
            #Predicate { $0.tags.contains("t7") }
        ).prefetching(\.album).objects()
        #expect(songs.count == 8)
        let found = try #require(songs.first?.album)
        #expect(!found.isFault && found.name == "One")
    }

    @Test("an engine that walks to count counts no further than an index helps")
    func limitedCounts() throws {
        let backend = FaultyBackend()
        let store = try Take.fill(Store(backend: backend, classes: [Take.self]))
        let limits = {
            backend.order { orders in
                defer { orders.countLimits = [] }
                return orders.countLimits
            }
        }
        _ = limits()
        let most = try store.query(Take.self).filter(#Predicate { $0.year > 1910 }).objects()
        #expect(most.count == 890)
        #expect(limits().max() == 255)
        let few = store.query(Take.self).filter(#Predicate { $0.year > 1980 })
        #expect(try few.explain().description.contains("index year of Take"))
        #expect(try few.objects().count == 190)
        #expect(try few.count() == 190 && limits().contains(.max))
    }
}
