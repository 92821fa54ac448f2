import CabinetTextSearch
import Foundation
import Testing
import TrustSupport

@testable import Cabinet
@testable import CabinetTestModel

/// A note with a text index, in a folder.
final class KeptNote: StoredObject {
    @Field var title = ""
    @Field var year = 0
    @Field var rating = 0
    @One var folder: NoteFolder?

    override class var textIndexes: [TextIndex] { [.text(\KeptNote.title)] }
    override class var indexes: [Index] {
        [.ordered(\KeptNote.year), .ordered(\KeptNote.folder, \KeptNote.rating)]
    }
}

final class NoteFolder: StoredObject {
    @Field var name = ""

    override class var indexes: [Index] { [.ordered(\NoteFolder.name)] }
}

/// What a query gives with a search beside it is what both give.
@Suite("Text indexes: queries with a search")
struct MatchingFetchTests {
    let store: Store
    let folders: [NoteFolder]

    init() throws {
        let store = try Store(inMemory: [KeptNote.self, NoteFolder.self])
        folders = (0..<20).map { number in
            let folder = NoteFolder()
            folder.name = "folder \(number)"
            store.insert(folder)
            return folder
        }
        self.store = store
    }

    private func fill(_ random: inout SeededRandom, _ count: Int) {
        for _ in 0..<count {
            let note = KeptNote()
            note.title = SearchWords.text(&random, upTo: 5) + " common"
            (note.year, note.rating) = (random.below(200), random.below(5))
            if random.below(10) > 0 { note.folder = folders[random.below(folders.count)] }
            store.insert(note)
        }
    }

    private func change(_ random: inout SeededRandom) throws {
        let notes = try store.objects(of: KeptNote.self)
        let note = notes[random.below(notes.count)]
        switch random.below(6) {
        case 0: note.year = random.below(200)
        case 1: note.title = "common blue"
        case 2: try store.delete(note)
        case 3: fill(&random, 3)
        case 4: note.folder = folders[random.below(folders.count)]
        default: try store.save()
        }
    }

    private func queries(_ random: inout SeededRandom) -> [ObjectQuery<KeptNote>] {
        let (low, high) = (random.below(200), random.below(200))
        let name = "folder \(random.below(25))"
        let row = folders[random.below(folders.count)].rowID
        let predicates: [Predicate<KeptNote>?] = [
            nil, #Predicate { $0.year == low }, #Predicate { $0.year >= low && $0.rating > 2 },
            #Predicate { $0.year == low || $0.year == high },
            #Predicate { $0.folder?.name == name },
            #Predicate { $0.folder?.rowID == row && $0.rating < 3 }, #Predicate { $0.rating == 3 },
        ]
        let orders: [[ObjectOrder<KeptNote>]] = [
            [], [.ascending(\.year)], [.descending(\.year), .ascending(\.title)],
            [.ascending(\.rating)],
        ]
        return predicates.map { predicate in
            ObjectQuery(
                where: predicate, sortedBy: orders[random.below(orders.count)],
                limit: random.below(3) > 0 ? random.below(12) : nil, offset: random.below(3) * 4)
        }
    }

    @Test(
        "they give what is in both answers, in the order of the query",
        arguments: RunSetting.some(of: 1...4))
    func intersection(seed: Int) throws {
        var random = SeededRandom(seed: UInt64(seed))
        fill(&random, 800)
        try store.save()
        if seed == 4 { store.reckonWithDearScans() }
        for round in 0..<10 {
            for _ in 0..<random.below(4) { try change(&random) }
            for query in queries(&random) {
                for text in ["common", "blue OR train", "trains common", "common NOT blue", "xyz"] {
                    let search = try SearchQuery(text)
                    var whole = query
                    (whole.limit, whole.offset) = (nil, 0)
                    let hits = Set(try store.search(KeptNote.self, search).map(\.object.rowID))
                    let both = try store.fetch(whole).map(\.rowID).filter { hits.contains($0) }
                    let wanted = Array(both[query.window(of: both.count)])
                    let found = try store.query(query).matching(search).objects().map(\.rowID)
                    let plan = try store.query(query).matching(search).explain(running: false)
                    let label = "\(text), round \(round), \(plan)"
                    if query.sortedBy.isEmpty {
                        #expect(found == wanted.sorted(), "\(label)")
                    } else {
                        #expect(found == wanted, "\(label)")
                    }
                    #expect(
                        try store.query(query).matching(search).count() == wanted.count, "\(label)")
                }
            }
        }
    }

    @Test("whichever names the fewest objects is asked first, and the plan says so")
    func choice() throws {
        for number in 0..<4000 {
            let note = KeptNote()
            note.title = number % 1000 == 0 ? "rare common" : "common"
            (note.year, note.rating) = (number % 200, number % 5)
            note.folder = folders[number % 20]
            store.insert(note)
        }
        try store.save()
        func plan(
            _ text: String, _ predicate: Predicate<KeptNote>?,
            _ order: [ObjectOrder<KeptNote>] = [], limit: Int? = nil
        ) throws -> String {
            let query = ObjectQuery(where: predicate, sortedBy: order, limit: limit)
            return "\(try store.query(query).matching(SearchQuery(text)).explain())"
        }
        // The search is the source.
        let rare = try plan("rare", #Predicate { $0.year > 3 })
        #expect(rare.hasPrefix("search title for rare: 4 rows\nkeep"), "\(rare)")
        // The search is a filter over what an index names.
        let year = try plan("common", #Predicate { $0.year == 3 })
        #expect(year.hasPrefix("index year of KeptNote, year 3: 20 rows\nkeep"), "\(year)")
        let name = "folder 7"
        let folder = try plan("common", #Predicate { $0.folder?.name == name })
        #expect(folder.hasPrefix("index folder.rating of KeptNote"), "\(folder)")
        // Over an index in the order of the query, as far as the limit needs.
        let order = try plan("common", nil, [.descending(\.year)], limit: 5)
        #expect(order.hasPrefix("index year of KeptNote in order: 5 rows"), "\(order)")
        // Over all objects, where it finds most of them.
        let most = try plan("common", #Predicate { $0.rating == 1 })
        #expect(most.hasPrefix("scan KeptNote: 4000 rows"), "\(most)")
    }

    @Test("a search in a text that the class has not is refused")
    func unknownText() throws {
        #expect(throws: QuerySyntaxError.self) {
            try store.query(KeptNote.self).matching(SearchQuery("body:blue")).objects()
        }
        #expect(throws: StoreError.notSearchable(class: "NoteFolder", text: "")) {
            try store.query(NoteFolder.self).matching(SearchQuery("blue")).objects()
        }
    }

    @Test func aSearchGivesHitsInTheOrderOfTheQuery() throws {
        var random = SeededRandom(seed: 12)
        fill(&random, 200)
        try store.save()
        let notes = store.query(KeptNote.self).filter(#Predicate { $0.year > 50 })
            .filter { $0.rating > 1 }
        let expected = try notes.matching(SearchQuery("common")).sorted(by: \.year).objects()
        #expect(expected.count > 20)
        let hits = try notes.sorted(by: \.year).offset(3).limit(5).search("common")
        #expect(hits.objects == Array(expected[3..<8]))
        #expect(hits.totalCount == expected.count && hits.allSatisfy { $0.score == 0 })
        #expect(try Set(notes.search("common").objects) == Set(expected))
        let both = try notes.matching(SearchQuery("common")).matching(
            SearchQuery("common NOT blue"))
        #expect(try both.count() < expected.count)
    }
}
