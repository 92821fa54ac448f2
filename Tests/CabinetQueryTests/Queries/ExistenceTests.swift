import Foundation
import Testing

@testable import Cabinet

/// A class of which some indexes say much and others little.
final class Ledger: StoredObject {
    @Field var page = 0
    @Field var kind = 0
    @Field var note = ""
    @Field var marks: [String] = []

    override class var indexes: [Index] {
        [.ordered(\Ledger.page), .ordered(\Ledger.kind), .elements(of: \Ledger.marks)]
    }
}

@Suite("Existence by indexes")
struct ExistenceTests {
    let store: Store

    /// 3,000 of 10 kinds and 300 pages.
    init() throws {
        store = try Store(inMemory: [Ledger.self])
        for number in 0..<3000 {
            let ledger = Ledger()
            (ledger.page, ledger.kind) = (number / 10, number % 10)
            ledger.note = "n\(number % 50)"
            ledger.marks = ["m\(number % 3)", "m\(number % 4)"]
            store.insert(ledger)
        }
        try store.save()
    }

    /// Expects what plain Swift says, for every number of matches that may be passed.
    private func expect(
        _ predicate: Predicate<Ledger>, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let all = try store.objects(of: Ledger.self).count { try predicate.evaluate($0) }
        for offset in Set([0, 1, 2, 63, 64, 65, max(all - 1, 0), all, all + 1]) {
            let query = ObjectQuery(where: predicate, offset: offset)
            #expect(
                try store.query(query).exists() == (all > offset), "behind \(offset) of \(all)",
                sourceLocation: sourceLocation)
        }
    }

    private func expectAll() throws {
        let pages = Set(0..<40)
        try expect(#Predicate { $0.page > 100 })
        try expect(#Predicate { $0.page == 7 && $0.kind == 3 })
        try expect(#Predicate { $0.page == 7 && $0.kind == 30 })
        try expect(#Predicate { $0.kind == 4 && $0.note == "n14" })
        try expect(#Predicate { $0.kind == 4 && $0.note == "n15" })
        try expect(#Predicate { $0.page > 100 && $0.note == "n13" })
        try expect(#Predicate { $0.marks.contains("m3") })
        try expect(#Predicate { $0.marks.contains("m3") && $0.page == 0 })
        try expect(#Predicate { $0.marks.contains("none") })
        try expect(#Predicate { pages.contains($0.page) && $0.kind == 2 })
        try expect(#Predicate { $0.page == -1 || $0.kind == 12 })
        try expect(#Predicate { $0.page > 290 || $0.note == "n3" })
        try expect(#Predicate { ($0.page == 299 || $0.page == 17) && $0.note == "n3" })
        try expect(#Predicate { pages.contains($0.page) && $0.note == "none" })
        try expect(#Predicate { $0.note == "n49" })
    }

    @Test("the first keys of an index tell, or all of them")
    func firstKeys() throws { try expectAll() }

    @Test("what the predicate itself throws is thrown")
    func errorsOfPredicates() throws {
        let pages = Set(0..<40)
        let nothing: Int? = nil
        let failing = #Predicate<Ledger> { pages.contains($0.page) && nothing! > $0.kind }
        #expect(throws: (any Error).self) {
            try store.fetch(Ledger.self, where: failing)
        }
        #expect(throws: (any Error).self) { try store.query(Ledger.self).filter(failing).exists() }
    }

    @Test("pending objects count")
    func pendingObjects() throws {
        for ledger in try store.fetch(Ledger.self, where: #Predicate { $0.kind == 4 }) {
            ledger.kind = 12
        }
        for ledger in try store.fetch(Ledger.self, where: #Predicate { $0.page == 7 }) {
            try store.delete(ledger)
        }
        let new = Ledger()
        new.page = -1
        store.insert(new)
        try expectAll()
    }

    @Test(
        "many ranges that leave most of a class are not all counted, and few objects are found by them"
    )
    func manyRanges() throws {
        let most = Set(0..<290)
        let query = ObjectQuery<Ledger>(where: #Predicate { most.contains($0.page) })
        #expect(
            try store.query(query).explain().steps.first?.description == "scan Ledger: 3000 rows")
        #expect(try store.fetch(query).count == 2900)
        #expect(try store.query(query).count() == 2900)
        let few = Set((0..<100).map { $0 * 100 })
        let sparse = ObjectQuery<Ledger>(where: #Predicate { few.contains($0.page) })
        #expect(
            try store.query(sparse).explain().steps.first?.description.hasPrefix(
                "index page of Ledger")
                == true)
        #expect(try store.fetch(sparse).count == 30)
    }
}
