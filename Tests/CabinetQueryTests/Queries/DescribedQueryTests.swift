import CabinetMemory
import Foundation
import Testing
import TrustSupport

@testable import Cabinet
@testable import CabinetTestModel

/// Queries and searches of a store that knows no class of the program but by its catalog.
@Suite("Queries: classes that a catalog describes")
struct DescribedQueryTests {
    private let backend = MemoryBackend()

    private func described(
        usesIndexes: Bool = true, unreadable: @escaping UnreadableRecord = { _, _, _ in }
    ) throws -> Store {
        try Store(
            describedBy: StoreSchema(backend), reading: backend, over: backend,
            usesIndexes: usesIndexes, unreadable: unreadable)
    }

    @Test(
        "the same rows in the same order as for a program with the classes",
        arguments: RunSetting.seeds(8))
    func sameRows(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let store = try Store(
            backend: backend, classes: [DescribedDisc.self, DescribedSleeve.self])
        try store.indexes.register(DescribedDisc.shared)
        try DescribedDisc.insertMany(&random, into: store)
        var usedIndexes = 0
        for round in 0..<3 {
            let other = try described()
            let scanning = try described(usesIndexes: false)
            if random.once(in: 2) {
                store.reckonWithDearScans()
                other.reckonWithDearScans()
            }
            for _ in 0..<60 {
                let text = DescribedDisc.query(&random)
                let wanted = try store.query(DescribedDisc.self).filter(text: text).objects().map(
                    \.rowID)
                let label =
                    "\(text.text) \(text.parameters.map(\.queryText)), seed \(seed), round \(round)"
                #expect(try other.rows(of: "Disc", text) == wanted, "\(label)")
                #expect(try scanning.rows(of: "Disc", text) == wanted, "by scan, \(label)")
                let plan = try other.explainRows(of: "Disc", text)
                if plan.description.contains("index ") { usedIndexes += 1 }
            }
            for _ in 0..<20 {
                guard let query = try? SearchQuery(SearchWords.query(&random)) else { continue }
                if query.text.contains(":") { continue }
                let limit = random.once(in: 2) ? nil : random.below(5)
                for name in ["title", "notes"] {
                    let path: PartialKeyPath<DescribedDisc> =
                        name == "title" ? \DescribedDisc.title : \DescribedDisc.notes
                    let wanted = try store.search(
                        DescribedDisc.self, query, in: path, limit: limit)
                    let label = "\(query.text) in \(name), seed \(seed), round \(round)"
                    let found = try other.searchRecords(
                        of: "Disc", query, in: name, limit: limit)
                    #expect(found.hits.map(\.row) == wanted.map(\.object.rowID), "\(label)")
                    #expect(found.hits.map(\.score) == wanted.map(\.score), "\(label)")
                    #expect(found.hits.map(\.typos) == wanted.map(\.typos), "\(label)")
                    #expect(found.totalCount == wanted.totalCount, "\(label)")
                    #expect(found.plan == wanted.plan, "\(label)")
                }
            }
            try DescribedDisc.change(&random, in: store)
        }
        #expect(usedIndexes > 20)
        #expect(try described().checkTables().findings.isEmpty)
    }

    @Test("indexes that need code of the class say so, and the others are used")
    func unusedIndexes() throws {
        var random = SeededRandom(seed: 1)
        let store = try Store(
            backend: backend, classes: [DescribedDisc.self, DescribedSleeve.self])
        try store.indexes.register(DescribedDisc.shared)
        try DescribedDisc.insertMany(&random, into: store)
        let other = try described()
        #expect(
            Set(other.unusedIndexes(of: "Disc").map(\.name))
                == ["decade", "late", "tags", "media"])
        #expect(other.unusedTexts(of: "Disc").map(\.name) == ["both"])
        let report = try other.checkTables()
        #expect(report.findings.isEmpty && report.unchecked.count == 6)
        // The index of a relationship serves, and that of what is asked of its target.
        other.reckonWithDearScans()
        for text: QueryText in ["sleeve IS NULL", "sleeve.name = 'a'"] {
            let plan = try other.explainRows(of: "Disc", text)
            #expect(plan.description.hasPrefix("index sleeve of Disc"), "\(plan)")
        }
        let plan = try other.explainRows(of: "Disc", "price = 25")
        // It reads no object, nor can it save.
        #expect(plan.objectsMade == 0 && !other.maySave)
    }

    /// Records of all layouts are read as of the last one; a field that a layout has not is without a value, as
    /// only the class knows the first one.
    @Test("records of earlier layouts have their values, widened, and none of later fields")
    func earlierLayouts() throws {
        do {
            let earlier = try Store(backend: backend, classes: [DescribedEarlier.self])
            for number in 0..<10 {
                let item = DescribedEarlier()
                (item.number, item.name) = (Int32(number), "early \(number)")
                earlier.insert(item)
            }
            try earlier.save()
        }
        let store = try Store(backend: backend, classes: [DescribedLater.self])
        let item = DescribedLater()
        (item.number, item.name, item.grade) = (5, "late", 7)
        store.insert(item)
        try store.save()
        try store.indexes.build()
        for usesIndexes in [true, false] {
            let other = try described(usesIndexes: usesIndexes)
            func count(_ text: QueryText) throws -> Int { try other.rows(of: "Item", text).count }
            #expect(try count("number >= 5") == 6)
            #expect(try count("name BEGINSWITH 'early'") == 10)
            #expect(try count("grade IS NULL") == 10)
            #expect(try count("grade = 7 AND number = 5") == 1)
            #expect(try count("note IS NULL") == 11)
            let best = try other.rows(of: "Item", "ORDER BY grade DESC, number DESC LIMIT 2")
            #expect(try best == [item.rowID] + other.rows(of: "Item", "number = 9"))
        }
        #expect(try described().searchRecords(of: "Item", SearchQuery("early")).totalCount == 10)
        // What the index has of records without the field is the class's own.
        #expect(try described().unusedIndexes(of: "Item").map(\.name) == ["grade"])
    }

    @Test("a record that cannot be read is reported once and left out")
    func unreadable() throws {
        var random = SeededRandom(seed: 3)
        let store = try Store(
            backend: backend, classes: [DescribedDisc.self, DescribedSleeve.self])
        try DescribedDisc.insertMany(&random, into: store)
        let victim = try #require(
            try store.query(DescribedDisc.self).filter(text: "year < 3000 LIMIT 1").objects().first)
        let all = try store.count(of: DescribedDisc.self)
        let table = try store.registered(DescribedDisc.self).table
        let batch = backend.makeBatch()
        let record = batch.beginRecord(victim.rowID, in: table)
        record.writeUInt8(1)
        record.writeUInt32(.max)
        try batch.endRecord()
        try backend.commit(batch)
        var reported: [RowID] = []
        let other = try described { storedClass, row, error in
            #expect(storedClass.name == "Disc" && error != nil)
            reported.append(row)
        }
        for _ in 0..<2 {
            let found = try other.rows(of: "Disc", "year > -5000 OR year <= -5000")
            #expect(found.count == all - 1 && !found.contains(victim.rowID))
            let hits = try other.searchRecords(of: "Disc", SearchQuery("blue OR train")).hits
            #expect(!hits.map(\.row).contains(victim.rowID))
        }
        #expect(reported == [victim.rowID])
        #expect(throws: QuerySyntaxError.self) { try other.rows(of: "Disc", "nothing = 1") }
        #expect(throws: StoreError.self) { try other.rows(of: "Nothing", "") }
    }
}
