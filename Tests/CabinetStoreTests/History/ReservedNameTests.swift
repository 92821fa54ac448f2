import CabinetBackend
import CabinetMemory
import Testing

@testable import Cabinet

/// Names of the feed that are Cabinet's own.
struct ReservedNameTests {
    /// Once, the history that had moved into tables was dropped, and calls of triggers were passed over.
    @Test func commitsAreNotKeptUnderNamesOfCabinets() throws {
        let container = StoreContainer(
            backend: MemoryBackend(changesKept: 2000), classes: Books.classes)
        let store = try container.makeStore()
        let entry = LedgerEntry("rent", cents: 0)
        store.insert(entry)
        for cents in 1...20 {
            entry.cents = cents
            try store.save()
        }
        let id = try #require(entry.objectID)
        try HistoryMove(container.backend).moveAll()
        let count = try container.history(of: id).count
        let table = try #require(try container.backend.tables().first { $0.kind != .record }).name
        for name in [HistoryPart.name, "trigger/total", table] {
            #expect(throws: StoreError.reservedName(name)) {
                try container.keepCommits(after: container.position(), for: name, limit: 1 << 20)
            }
        }
        for kept in try container.keptCommits() where kept.name == HistoryPart.name {
            #expect(throws: StoreError.reservedName(kept.name)) {
                try container.letGoOfCommits(for: kept.name)
            }
        }
        entry.cents = 100
        try store.save()
        try HistoryMove(container.backend).moveAll()
        #expect(try container.history(of: id).count == count + 1)
        try store.close()
        try container.close()
    }
}
