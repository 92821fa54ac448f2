import CabinetBackend
import CabinetMemory
import Testing

@testable import Cabinet

/// Commits that do not say what they have replaced.
struct GapTests {
    @Test func aGapBehindTheLaterCommitDoesNotCount() throws {
        let backend = MemoryBackend()
        let container = StoreContainer(backend: backend, classes: Books.withRemarks)
        let store = try container.makeStore()
        let (entry, remark) = (LedgerEntry("", cents: 0), LedgerRemark(""))
        store.insert(entry)
        store.insert(remark)
        try store.save()
        let first = store.basis
        entry.cents = 1
        try store.save()
        let second = store.basis
        remark.text = "changed"
        try store.save()
        #expect(try container.changes(from: first, to: second).map(\.className) == ["LedgerEntry"])
        #expect(try container.changes(from: second, to: first).map(\.className) == ["LedgerEntry"])
        #expect(throws: BackendError.changesGone(oldest: store.basis)) {
            try container.changes(from: first, to: store.basis)
        }
    }

    @Test func aMigrationThatDropsAClassLeavesNoGap() async throws {
        let backend = MemoryBackend()
        let container = StoreContainer(backend: backend, classes: Books.classes)
        var store = try container.makeStore()
        let entry = LedgerEntry("rent", cents: 7)
        store.insert(entry)
        store.insert(LedgerAccount("first"))
        try store.save()
        let (id, then) = (try #require(entry.objectID), store.basis)
        try store.close()
        let later = StoreContainer(
            backend: backend, classes: [ForgottenAccount.self],
            migrations: [Migration("entries go", dropping: ["LedgerEntry"]) { _, _ in }])
        store = try later.makeStore()
        try await store.migrate()
        guard case .deleted(let fields)? = try container.history(of: id).last?.kind else {
            Issue.record("\(try container.history(of: id))")
            return
        }
        #expect(fields.first { $0.name == "cents" }?.value == .integer(7))
        let found = try await container.read(asOf: then) { try $0.object(id)?.cents }
        #expect(found == 7)
        #expect(try later.changes(from: then, to: store.basis).count == 1)
        try store.close()
    }

    /// What was to be read from the feed is read from tables if it was moved there meanwhile.
    @Test func aLookThatIsOvertakenBeginsAnew() throws {
        let backend = MemoryBackend(changesKept: 1 << 10)
        let container = StoreContainer(backend: backend, classes: Books.classes)
        let store = try container.makeStore()
        let entry = LedgerEntry("", cents: 0)
        store.insert(entry)
        var commits: [CommitNumber] = []
        for cents in 1...5 {
            entry.cents = cents
            try store.save()
            commits.append(store.basis)
        }
        var looks = 0
        let place = RowPlace(
            table: try #require(entry.storedClass).table, row: entry.rowID)
        let events = try PastLook.with(backend, label: "test") { look in
            looks += 1
            if looks == 1 {
                try HistoryMove(backend).moveAll()
                entry.text = String(repeating: "x", count: 1 << 12)
                try store.save()
                try HistoryMove(backend).moveAll()
            }
            return try look.events(of: place)
        }
        #expect(looks == 2)
        #expect(events.map(\.commit).prefix(5) == commits[...] && events.count == 6)
    }
}

/// ``LedgerAccount`` once there are no entries any more.
private final class ForgottenAccount: StoredObject {
    @Field var name = ""

    override class var storageName: String { "LedgerAccount" }
    override class var keepsHistory: Bool { true }
}
