import CabinetBackend
import CabinetMemory
import CabinetTokyo
import Foundation
import Testing
import TrustSupport

@testable import Cabinet
@testable import CabinetTestModel

struct PastTests {
    @Test func aDateStandsForTheLastCommitByNumberAlsoWhereAClockWasSetBack() async throws {
        let backend = FaultyBackend(isolatesCommits: true)
        let container = StoreContainer(backend: backend, classes: Books.classes)
        let store = try container.makeStore()
        let start = try backend.lastCommit()
        let entry = LedgerEntry("rent", cents: 0)
        store.insert(entry)
        for cents in 1...4 {
            entry.cents = cents
            try store.save()
        }
        #expect(store.basis.rawValue == start.rawValue + 4)
        let hours: [UInt64] = [10, 12, 11, 13]
        backend.order { orders in
            for number in 1...start.rawValue { orders.times[CommitNumber(number)] = 0 }
            for (index, hour) in hours.enumerated() {
                orders.times[CommitNumber(start.rawValue + UInt64(index) + 1)] =
                    hour * 3_600_000_000
            }
        }
        func cents(at hour: Double) async throws -> [Int] {
            try await container.read(asOf: Date(timeIntervalSince1970: hour * 3600)) { store in
                try store.objects(of: LedgerEntry.self).map(\.cents)
            }
        }
        #expect(try await cents(at: 9) == [])
        #expect(try await cents(at: 10) == [1])
        #expect(try await cents(at: 10.5) == [1])
        #expect(try await cents(at: 11.5) == [3])
        #expect(try await cents(at: 12.5) == [3])
        #expect(try await cents(at: 14) == [4])
    }

    @Test func aCommitThatIsNotThereYetCannotBeRead() async throws {
        let container = StoreContainer(inMemory: Books.classes)
        _ = try container.makeStore()
        let last = try container.backend.lastCommit()
        await #expect(throws: BackendError.changesGone(oldest: last)) {
            try await container.read(asOf: last.next) { try $0.count(of: LedgerEntry.self) }
        }
    }

    @Test func queriesAsOfACommitScanAndSaySo() async throws {
        let container = StoreContainer(inMemory: Books.classes)
        let store = try container.makeStore()
        let entries = (0..<100).map { LedgerEntry("\($0)", cents: $0) }
        for entry in entries { store.insert(entry) }
        try store.save()
        let then = store.basis
        for entry in entries { entry.cents += 1000 }
        try store.save()
        let (found, plan) = try await container.read(asOf: then) { store in
            let query = try store.query(LedgerEntry.self).filter(text: "cents < 10").sorted(
                by: \.cents)
            return (try query.objects().map(\.cents), "\(try query.explain())")
        }
        #expect(found == Array(0..<10))
        #expect(plan.hasPrefix("as of commit \(then), without indexes\nscan LedgerEntry: 100 rows"))
        #expect(!"\(try store.query(LedgerEntry.self).explain())".contains("as of"))
    }

    @Test func anObjectOfThePastCannotBeSavedAndHasItsFields() async throws {
        let container = StoreContainer(inMemory: Books.classes)
        let store = try container.makeStore()
        let entry = LedgerEntry("rent", cents: 1)
        store.insert(entry)
        try store.save()
        let then = store.basis
        entry.cents = 2
        try store.save()
        let id = try #require(entry.objectID)
        let frozen = try await container.read(asOf: then) { store in
            let past = try #require(try store.object(id))
            let frozen = try past.frozen()
            past.cents = 7
            #expect(throws: (any Error).self) { try store.save() }
            return frozen
        }
        #expect(frozen["cents"] == .integer(1))
    }

    @Test func changesBetweenTwoCommitsLeaveOutWhatWasChangedBack() throws {
        let container = StoreContainer(inMemory: Books.classes)
        let store = try container.makeStore()
        let entries = (0..<4).map { LedgerEntry("\($0)", cents: $0) }
        for entry in entries.prefix(3) { store.insert(entry) }
        try store.save()
        let first = store.basis
        entries[0].cents = 50
        entries[1].cents = 60
        store.insert(entries[3])
        try store.save()
        entries[1].cents = 1
        try store.delete(entries[2])
        try store.save()
        let changes = try container.changes(from: first, to: store.basis)
        #expect(changes.map(\.id.rowID) == [entries[0], entries[2], entries[3]].map(\.rowID))
        #expect(changes.map(\.className) == ["LedgerEntry", "LedgerEntry", "LedgerEntry"])
        guard case .changed(let fields) = changes[0].kind, case .deleted = changes[1].kind,
            case .inserted = changes[2].kind
        else {
            Issue.record("\(changes)")
            return
        }
        #expect(fields.map(\.name) == ["cents"])
        let back = try container.changes(from: store.basis, to: first)
        guard case .inserted = back[1].kind, case .deleted = back[2].kind else {
            Issue.record("\(back)")
            return
        }
    }
}
