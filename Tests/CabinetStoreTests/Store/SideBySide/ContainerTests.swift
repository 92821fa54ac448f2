import CabinetBackend
import CabinetMemory
import CabinetTestSupport
import CabinetTokyo
import Foundation
import Testing

@testable import Cabinet
@testable import CabinetTestModel

struct ContainerTests {
    private let container = StoreContainer(inMemory: volumeClasses)

    @Test func aReadStaysAtItsCommitAndCannotSave() async throws {
        try await container.write { store in store.insert(Bookcase()) }
        let container = container
        try await container.read { store in
            #expect(try store.count(of: Bookcase.self) == 1)
            let other = try container.makeStore()
            other.insert(Bookcase())
            try other.save()
            #expect(try store.count(of: Bookcase.self) == 1)
            #expect(try store.objects(of: Bookcase.self).count == 1)
            try store.objects(of: Bookcase.self).first?.title = "changed"
            #expect(throws: BackendError.self) { try store.save() }
        }
        #expect(try container.makeStore().count(of: Bookcase.self) == 2)
    }

    @Test func commitsSayWhoHasChangedWhat() async throws {
        let store = try container.makeStore()
        var commits = container.commits.makeAsyncIterator()
        let bookcase = Bookcase()
        store.insert(bookcase)
        store.author = "import"
        try store.save()
        let volume = Volume()
        store.insert(volume)
        store.author = nil
        try store.delete(bookcase)
        try store.save()
        let first = try #require(try await commits.next())
        #expect(first.author == "import")
        #expect(first.rows?["Bookcase"] == .init(written: [bookcase.rowID], deleted: []))
        let second = try #require(try await commits.next())
        #expect(second.number == first.number.next && second.author == nil)
        #expect(second.rows?["Bookcase"] == .init(written: [], deleted: [bookcase.rowID]))
        #expect(second.rows?["Volume"] == .init(written: [volume.rowID], deleted: []))
    }

    @Test func commitsGoOnBehindAPositionThatWasKept() async throws {
        let store = try container.makeStore()
        let start = try container.position()
        var positions: [ChangePosition] = []
        for year in 0..<3 {
            let bookcase = Bookcase()
            bookcase.year = year
            store.insert(bookcase)
            try store.save()
            positions.append(try container.position())
        }
        var all = container.commits(after: start).makeAsyncIterator()
        for position in positions { #expect(try await all.next()?.position == position) }
        // As a program keeps it.
        let kept = try JSONDecoder().decode(
            ChangePosition.self, from: JSONEncoder().encode(positions[1]))
        var rest = container.commits(after: kept).makeAsyncIterator()
        let commit = try #require(try await rest.next())
        #expect(commit.position == positions[2] && commit.rows?["Bookcase"]?.written.count == 1)

        let other = StoreContainer(inMemory: volumeClasses)
        var foreign = other.commits(after: kept).makeAsyncIterator()
        await #expect(throws: BackendError.changesGone(oldest: 0)) { try await foreign.next() }
    }

    @Test func commitsThatAreKeptUnderANameAreAllThere() async throws {
        let container = StoreContainer(
            backend: MemoryBackend(changesKept: 2000), classes: volumeClasses)
        let store = try container.makeStore()
        store.insert(Bookcase())
        try store.save()
        let start = try container.position()
        try container.keepCommits(after: start, for: "sync", limit: 1_000_000)
        #expect(try container.keptCommits().map(\.name) == ["sync"])
        for _ in 0..<20 {
            let bookcase = Bookcase()
            bookcase.title = String(repeating: "x", count: 500)
            store.insert(bookcase)
            try store.save()
        }
        var commits = container.commits(after: start).makeAsyncIterator()
        var written = 0
        while written < 20, let commit = try await commits.next() {
            written += commit.rows?["Bookcase"]?.written.count ?? 0
        }
        #expect(written == 20)
        try container.letGoOfCommits(for: "sync")
        #expect(try container.keptCommits() == [])
        try container.close()
    }

    @Test func commitsThatTheFeedHasGivenUpAreNotPassedOver() async throws {
        let container = StoreContainer(
            backend: MemoryBackend(changesKept: 2000), classes: volumeClasses)
        let store = try container.makeStore()
        store.insert(Bookcase())
        try store.save()
        var commits = container.commits(after: try container.position()).makeAsyncIterator()
        for _ in 0..<20 {
            let bookcase = Bookcase()
            bookcase.title = String(repeating: "x", count: 500)
            store.insert(bookcase)
            try store.save()
        }
        do {
            _ = try await commits.next()
            Issue.record("commits were passed over")
        } catch BackendError.changesGone {}
    }

    @Test func aClosedContainerClosesItsStores() throws {
        let store = try container.makeStore()
        store.insert(Bookcase())
        try container.close()
        #expect(throws: BackendError.closed) { try store.save() }
        #expect(throws: BackendError.closed) { try container.makeStore() }
        try container.close()
    }

    @Test func theContainerKeepsTheBackendOpenAndAStoreOpenedAloneDoesNot() throws {
        try container.makeStore().close()
        _ = try container.makeStore().count(of: Bookcase.self)
        let alone = try Store(backend: MemoryBackend(), classes: volumeClasses)
        let other = try alone.container.makeStore()
        try alone.close()
        #expect(try other.count(of: Bookcase.self) == 0)
        let last = other.container
        try other.close()
        #expect(throws: BackendError.closed) { try last.makeStore() }
    }

    @Test func aFrozenObjectLeavesItsDomain() async throws {
        let frozen = try await container.write { store in
            let bookcase = Bookcase()
            bookcase.title = "Blue Train"
            store.insert(bookcase)
            let volume = Volume()
            bookcase.volumes.append(volume)
            return try bookcase.frozen()
        }
        #expect(frozen.className == "Bookcase" && frozen["title"] == .text("Blue Train"))
        guard case .references(let volumes) = frozen["volumes"] else {
            Issue.record("no relationship")
            return
        }
        #expect(volumes.map(\.className) == ["Volume"] && frozen["none"] == nil)
    }

    @Test func aFrozenObjectNeedsNoLookAtTheCatalog() throws {
        let backend = FaultyBackend(isolatesCommits: true)
        let store = try Store(backend: backend, classes: volumeClasses)
        let bookcase = Bookcase()
        bookcase.volumes = [Volume()]
        store.insert(bookcase)
        try store.save()
        backend.order { $0.readsFail = true }
        let frozen = try bookcase.frozen()
        guard case .references(let volumes) = frozen["volumes"] else {
            Issue.record("no relationship")
            return
        }
        #expect(volumes.map(\.className) == ["Volume"])
    }

    @MainActor
    @Test func aStoreOfTheMainActorAdvancesByItself() async throws {
        let store = try container.makeStore()
        store.refreshesAutomatically = true
        #expect(store.refreshesAutomatically)
        try await container.write { other in other.insert(Bookcase()) }
        for _ in 0..<1000 {
            if try store.count(of: Bookcase.self) == 1 { break }
            await Task.yield()
            try await Task.sleep(for: .milliseconds(1))
        }
        #expect(try store.count(of: Bookcase.self) == 1)
        store.refreshesAutomatically = false
    }
}

/// How an iteration of commits ends.
struct CommitIterationTests {
    @Test func aFeedThatFailsIsAnErrorAndLosesNoCommit() async throws {
        let backend = FaultyBackend(isolatesCommits: true)
        let container = StoreContainer(backend: backend, classes: volumeClasses)
        let store = try container.makeStore()
        var commits = container.commits.makeAsyncIterator()
        for _ in 0..<2 {
            store.insert(Bookcase())
            try store.save()
        }
        backend.order { $0.feedFails = true }
        do {
            _ = try await commits.next()
            Issue.record("the iteration has ended or gone on without a word")
        } catch { #expect(error as? BackendError == FaultyBackend.failure) }
        backend.order { $0.feedFails = false }
        #expect(try await commits.next()?.number == 1)
        #expect(try await commits.next()?.number == 2)
    }

    @Test func commitsEndWhenTheContainerIsClosed() async throws {
        let container = StoreContainer(inMemory: volumeClasses)
        let (isWaiting, numbers) = (Guarded(false), Guarded<[CommitNumber]>([]))
        let reading = Task {
            var commits = container.commits.makeAsyncIterator()
            isWaiting.withLock { $0 = true }
            while let commit = try await commits.next() {
                numbers.withLock { $0.append(commit.number) }
            }
        }
        func wait(until holds: () -> Bool) async throws {
            for _ in 0..<60_000 where !holds() { try await Task.sleep(for: .milliseconds(1)) }
        }
        try await wait { isWaiting.withLock { $0 } }
        try await container.write { store in store.insert(Bookcase()) }
        try await wait { numbers.withLock { !$0.isEmpty } }
        try container.close()
        try await reading.value
        #expect(numbers.withLock { $0 } == [1])
    }
}
