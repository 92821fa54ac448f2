import CabinetBackend
import CabinetMemory
import Foundation
import Testing

@testable import Cabinet

/// A class that is read page by page.
class PagedLeaf: StoredObject {
    @Field var title = ""
    @Field var year = 0
    @Field var note: String?
    @Field var code: String?

    convenience init(_ title: String, year: Int) {
        self.init()
        (self.title, self.year) = (title, year)
    }

    override class var indexes: [Index] {
        [
            .ordered(\PagedLeaf.year, \PagedLeaf.title), .unique(\PagedLeaf.code),
            .ordered(\PagedLeaf.title, collation: .caseInsensitive),
        ]
    }
}

/// Shares its fields.
final class GoldPagedLeaf: PagedLeaf {
    override class var indexes: [Index] { [] }
}

@Suite("Pages")
struct PagingTests {
    let backend = MemoryBackend()
    let store: Store

    init() throws {
        store = try Store(backend: backend, classes: [PagedLeaf.self, GoldPagedLeaf.self])
        for number in 0..<1000 {
            let leaf = PagedLeaf("Leaf \(number % 40)", year: 1900 + number % 7)
            leaf.code = number % 4 == 0 ? nil : "c\(number * 37 % 1000)"
            leaf.note = number % 3 == 0 ? nil : "n\(number % 10)"
            store.insert(leaf)
        }
        try store.save()
    }

    /// All pages of a query, one after another.
    private func all(_ query: ObjectQuery<PagedLeaf>, by size: Int) throws -> [RowID] {
        var page = try store.query(query).page(limit: size)
        var rows = page.objects.map(\.rowID)
        while let next = page.next {
            #expect(page.objects.count == size)
            let text = next.description
            page = try store.query(query).page(after: PageToken(text), limit: size)
            rows += page.objects.map(\.rowID)
        }
        return rows
    }

    static let orders: [[ObjectOrder<PagedLeaf>]] = [
        [], [.ascending(\.year), .ascending(\.title)], [.descending(\.year), .descending(\.title)],
        [.descending(\.note)], [.ascending(\.code)], [.descending(\.code)],
        [.ascending(\.title, .caseInsensitive)],
        [.descending(\.title, .numeric), .ascending(\.year)],
    ]

    @Test("together are what one fetch gives", arguments: orders.indices)
    func wholes(_ place: Int) throws {
        for size in [1, 7, 100, 1000, 5000] where size > 1 || place % 3 == 0 {
            let condition: Predicate<PagedLeaf> =
                size == 1 ? #Predicate { $0.year < 1902 } : #Predicate { $0.year != 1903 }
            let query = ObjectQuery(where: condition, sortedBy: Self.orders[place])
            #expect(try all(query, by: size) == store.query(query).rowIDs())
        }
    }

    @Test("are found by a look-up where an index has the order")
    func lookUps() throws {
        let query = ObjectQuery<PagedLeaf>(sortedBy: [.ascending(\.year), .ascending(\.title)])
        var page = try store.query(query).page(limit: 10)
        for _ in 0..<50 { page = try store.query(query).page(after: page.next, limit: 10) }
        let indexes = try #require(
            try store.indexKeeper?.indexes(of: try store.registered(PagedLeaf.self)))
        #expect(indexes["year.title"]?.uses == 51)
        #expect(
            page.objects.map(\.rowID) == (try store.query(query).rowIDs())[500..<510].map { $0 })
    }

    @Test("neither repeat nor leave out objects where others come and go, also after a relaunch")
    func changes() throws {
        let query = ObjectQuery<PagedLeaf>(sortedBy: [.descending(\.year), .descending(\.title)])
        let before = try store.query(query).rowIDs()
        let first = try store.query(query).page(limit: 300)
        let last = try #require(first.objects.last)
        let token = try JSONEncoder().encode(first.next)
        store.insert(PagedLeaf("A", year: 3000))
        let behind = PagedLeaf("A", year: 1900)
        store.insert(behind)
        try store.delete(first.objects[100])
        // The place stays where its object was.
        try store.delete(last)
        try store.save()
        let reopened = try Store(backend: backend, classes: [PagedLeaf.self, GoldPagedLeaf.self])
        let next = try JSONDecoder().decode(PageToken?.self, from: token)
        let rest = try reopened.query(query).page(after: next, limit: 5000)
        let expected = before[300...].map { $0 }
        #expect(rest.objects.map(\.rowID).filter { $0 != behind.rowID } == expected)
        #expect(rest.objects.last?.rowID == behind.rowID && rest.next == nil)
    }

    @Test("of subclasses go on from class to class")
    func subclasses() throws {
        for number in 0..<50 { store.insert(GoldPagedLeaf("Leaf \(number % 9)", year: 1904)) }
        for order in [[], [ObjectOrder<PagedLeaf>.ascending(\.year)]] {
            let query = ObjectQuery<PagedLeaf>(sortedBy: order, includingSubclasses: true)
            func places(_ objects: [PagedLeaf]) -> [String] {
                objects.map { "\(type(of: $0)) \($0.rowID.rawValue)" }
            }
            var found: [String] = []
            var page = try store.query(query).page(limit: 64)
            found += places(page.objects)
            while let next = page.next {
                page = try store.query(query).page(after: next, limit: 64)
                found += places(page.objects)
            }
            #expect(try found == places(store.fetch(query)))
        }
    }

    @Test("of queries in text are in their order")
    func text() throws {
        let query = try ObjectQuery<PagedLeaf>().filter(
            text: "year > 1902 ORDER BY note DESC, title")
        #expect(try all(query, by: 90) == store.query(query).rowIDs())
    }

    @Test("a token serves another condition, also where another object has its place")
    func otherConditions() throws {
        let from = try ObjectQuery<PagedLeaf>().filter(text: "code >= 'c3' ORDER BY code")
        let page = try store.query(from).page(limit: 1)
        let last = try #require(page.objects.last)
        #expect(last.code == "c3")
        try store.delete(last)
        try store.save()
        let heir = PagedLeaf("Heir", year: 2000)
        heir.code = "c3"
        store.insert(heir)
        try store.save()
        let behind = try ObjectQuery<PagedLeaf>().filter(text: "code > 'c3' ORDER BY code")
        let next = try store.query(behind).page(after: page.next, limit: 3)
        #expect(try next.objects.map(\.rowID) == Array(store.query(behind).rowIDs().prefix(3)))
        let again = try ObjectQuery<PagedLeaf>().filter(text: "code >= 'c3' ORDER BY code")
        #expect(try store.query(again).page(after: page.next, limit: 1).objects == [heir])
    }

    @Test("a token of another order, class or store is refused, and a damaged one")
    func otherTokens() throws {
        let query = ObjectQuery<PagedLeaf>(sortedBy: [.ascending(\.year)])
        let token = try #require(try store.query(query).page(limit: 3).next)
        let other = ObjectQuery<PagedLeaf>(sortedBy: [.descending(\.year)])
        let error = QueryError.otherPageToken(
            order: "PagedLeaf by year", expected: "PagedLeaf by year descending")
        #expect(throws: error) { try store.query(other).page(after: token, limit: 3) }
        #expect(throws: QueryError.self) {
            try store.query(GoldPagedLeaf.self).sorted(by: \.year).page(after: token, limit: 3)
        }
        let elsewhere = try Store(inMemory: [PagedLeaf.self])
        #expect(throws: QueryError.self) { try elsewhere.query(query).page(after: token, limit: 3) }
        let damaged = PageToken(
            store: token.store, order: token.order, classNumber: token.classNumber, row: token.row,
            values: [1, 2])
        #expect(throws: QueryError.damagedPageToken) {
            try store.query(query).page(after: damaged, limit: 3)
        }
        for text in ["", "AA", "!", String(token.description.dropLast(30))] {
            #expect(PageToken(text) == nil)
        }
        #expect(throws: QueryError.notPageable(property: "title")) {
            let lexical = SortDescriptor(\PagedLeaf.title, comparator: .lexical)
            return try store.query(PagedLeaf.self).sorted(by: [lexical]).page(limit: 3)
        }
    }

    @Test func aDescriptorOfAPropertyHasPages() throws {
        let store = try Store(inMemory: [PagedLeaf.self])
        for number in 0..<10 { store.insert(PagedLeaf("\(number)", year: number % 4)) }
        let query = ObjectQuery<PagedLeaf>(sortedBy: [
            SortDescriptor(\PagedLeaf.year, order: .reverse), SortDescriptor(\PagedLeaf.title),
        ])
        var pages: [[String]] = []
        var token: PageToken?
        repeat {
            let page = try store.query(query).page(after: token, limit: 4)
            pages.append(page.objects.map(\.title))
            token = page.next
        } while token != nil
        #expect(pages == [["3", "7", "2", "6"], ["1", "5", "9", "0"], ["4", "8"]])
    }
}
