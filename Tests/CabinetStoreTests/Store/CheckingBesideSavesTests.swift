import CabinetMemory
import Foundation
import Testing
import TrustSupport

@testable import Cabinet
@testable import CabinetTestModel

struct CheckingBesideSavesTests {
    let shelf = CheckedShelf()
    var bench: SchemaBench { shelf.bench }

    func open() throws -> Store { try shelf.open() }

    func fill() throws { try shelf.fill() }

    /// A store in a domain of its own, which is changed and checked in turns.
    actor StoredClassRecord {
        let store: Store
        var isDone = false
        var reports: [CheckReport] = []

        init(_ backend: any Backend) throws {
            store = try Store(backend: backend, classes: CheckedShelf.classes)
        }

        func check() async throws {
            repeat {
                reports.append(try await store.check())
            } while !isDone
        }

        /// Moves everything about: objects come, go, and change what they refer to.
        func churn(_ rounds: Int) async throws {
            var random = SeededRandom(seed: 7)
            defer { isDone = true }
            for round in 0..<rounds {
                let tunes = try store.objects(of: Tune.self)
                let lists = try store.objects(of: TuneList.self)
                let songs = try store.objects(of: Song.self)
                let fresh = Tune("\(round)")
                store.insert(fresh)
                lists.randomElement(using: &random)?.tunes.append(fresh)
                if tunes.count > 30, let old = tunes.randomElement(using: &random) {
                    try store.delete(old)
                }
                let song = Song("\(round)")
                store.insert(song)
                store.insert(Playlist("\(round)", [song]))
                if songs.count > 30, let old = songs.randomElement(using: &random) {
                    for case let list as Playlist in try store.referrers(of: old) {
                        try store.delete(list)
                    }
                    for case let person as Person in try store.referrers(of: old) {
                        person.things = []
                    }
                    try store.delete(old)
                }
                try store.save()
                await Task.yield()
            }
        }
    }

    @Test func checksBesideSavesFindNothingWrong() async throws {
        try fill()
        let storedClass = try StoredClassRecord(bench.backend)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await storedClass.check() }
            group.addTask { try await storedClass.churn(150) }
            // One from outside, at the same time.
            group.addTask {
                for _ in 0..<10 {
                    let report = try await StoreSchema.check(bench.backend)
                    #expect(report.findings == [])
                }
            }
            try await group.waitForAll()
        }
        let reports = await storedClass.reports
        #expect(!reports.isEmpty)
        for report in reports { #expect(report.findings == []) }
    }

    @Test func aCheckCanBeCancelled() async throws {
        try fill()
        let progress = Progress(totalUnitCount: 0)
        progress.cancel()
        let store = try open()
        await #expect(throws: CancellationError.self) { try await store.check(progress: progress) }
        let task = Task { [backend = bench.backend] in
            withUnsafeCurrentTask { $0?.cancel() }
            return try await StoreSchema.check(backend)
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        try store.close()
        await #expect(throws: StoreError.closed) { try await store.check() }
    }

    @Test func theStoresObjectsAreLeftAlone() async throws {
        try fill()
        let store = try open()
        let before = try store.metadata(of: Node.self).liveObjects
        let node = try #require(try store.object(Node.self, rowID: 3))
        node.name = "pending"
        let tables = try bench.backend.tables()
        #expect(try await store.check().isSound)
        #expect(node.name == "pending" && node.isChanged && store.hasChanges)
        #expect(try store.metadata(of: Node.self).liveObjects == before + 1 + node.children.count)
        #expect(try bench.backend.tables() == tables)
    }
}
