import CabinetTestSupport
import Foundation
import Testing

@testable import Cabinet

/// What a report says of queries that looked at every object.
@Suite("Indexes: queries that scan")
struct ScanReportTests {
    /// Records of a program without indexes, and so many that an index would be worth its while.
    private func filled() throws -> (IndexScene, Store) {
        let scene = try IndexScene(.memory)
        try scene.fill(500)
        return (scene, try scene.open(IndexScene.older))
    }

    private func scans(_ store: Store) -> [String] {
        store.debugReport.scannedQueries.map(\.description)
    }

    @Test("queries are counted by their shape, with an index that would help")
    func shapes() throws {
        let (scene, store) = try filled()
        defer { withExtendedLifetime(scene) {} }
        for year in 1960..<1965 {
            let artist = "Artist \(year % 7)"
            _ = try store.fetch(
                OlderSong.self, where: #Predicate { $0.artist == artist && $0.year > year })
        }
        _ = try store.count(of: OlderSong.self, where: #Predicate { $0.title.starts(with: "S") })
        _ = try store.query(OlderSong.self).filter { $0.title.count > 3 }.objects()
        #expect(
            scans(store) == [
                "IndexedSong where artist = … and year > …: scanned 5 times, 2500 objects; "
                    + #"would use .ordered(\OlderSong.artist, \OlderSong.year)"#,
                "IndexedSong where a closure: scanned 1 times, 500 objects",
                "IndexedSong where title starts with …: scanned 1 times, 500 objects; "
                    + #"would use .ordered(\OlderSong.title)"#,
            ])
        #expect("\(store.debugReport)".contains("would use .ordered(\\OlderSong.title)"))
    }

    @Test("what is pasted is what the query uses")
    func pasted() throws {
        let (scene, store) = try filled()
        defer { withExtendedLifetime(scene) {} }
        func query() throws -> [OlderSong] {
            try store.fetch(
                OlderSong.self, where: #Predicate { $0.artist == "Artist 3" && $0.year > 2000 })
        }
        let found = try query()
        #expect(
            store.debugReport.scannedQueries.first?.helpfulIndexes
                == [#".ordered(\OlderSong.artist, \OlderSong.year)"#])
        try store.indexes.register(.ordered(\OlderSong.artist, \OlderSong.year))
        try store.indexes.build()
        #expect(try query() == found)
        #expect(store.debugReport.scannedQueries.map(\.count) == [1])
        // The class has it now.
        #expect(store.debugReport.scannedQueries.first?.helpfulIndexes == [])
    }

    @Test("orders, alternatives and elements have indexes of their own kinds")
    func kinds() throws {
        let (scene, store) = try filled()
        defer { withExtendedLifetime(scene) {} }
        _ = try store.fetch(
            OlderSong.self, sortedBy: [.ascending(\.title, .caseInsensitive)], limit: 3)
        _ = try store.fetch(
            OlderSong.self, where: #Predicate { $0.rating == 3 },
            sortedBy: [.descending(\.year), .descending(\.title)], limit: 3)
        _ = try store.fetch(
            OlderSong.self, where: #Predicate { $0.artist == "A" || $0.year == 1960 })
        _ = try store.fetch(OlderSong.self, where: #Predicate { $0.tags.contains("t1") })
        _ = try store.fetch(
            OlderSong.self, where: #Predicate { $0.artist == "A" || $0.title.isEmpty })
        _ = try store.fetch(OlderSong.self, where: #Predicate { $0.year != 1960 })
        let helpful = Dictionary(
            uniqueKeysWithValues: store.debugReport.scannedQueries.map {
                ($0.condition, $0.helpfulIndexes.joined(separator: " "))
            })
        #expect(
            helpful["everything, sorted by title by caseInsensitive"]
                == #".ordered(\OlderSong.title, collation: .caseInsensitive)"#)
        #expect(
            helpful["rating = …, sorted by year descending, title descending"]
                == #".ordered(\OlderSong.rating, \OlderSong.year, \OlderSong.title)"#)
        #expect(
            helpful["artist = … or year = …"]
                == #".ordered(\OlderSong.artist) .ordered(\OlderSong.year)"#)
        #expect(helpful["year != …"] == "")
        #expect(helpful.values.contains(#".elements(of: \OlderSong.tags)"#), "\(helpful)")
        #expect(helpful.count == 6)
    }

    @Test("queries for all objects do not count, and shapes are bounded")
    func bounds() throws {
        let (scene, store) = try filled()
        defer { withExtendedLifetime(scene) {} }
        _ = try store.objects(of: OlderSong.self)
        _ = try store.count(of: OlderSong.self)
        #expect(store.debugReport.scannedQueries.isEmpty)
        let fields = store.fields(of: try store.registered(OlderSong.self))
        let year = try #require(fields.field(named: "year"))
        var condition = Condition.constant(false)
        for _ in 0..<(ScanNotes.shapeLimit + 5) {
            let test = try #require(FieldTest.make(year, .less, 5, { $0 < $1 }))
            condition = condition.negated.and(.test(test))
            store.noteScan(fields.storedClass, condition, examined: 1) { _ in [] }
        }
        #expect(store.debugReport.scannedQueries.count == ScanNotes.shapeLimit)
        #expect(store.debugReport.furtherScans == 5)
    }
}
