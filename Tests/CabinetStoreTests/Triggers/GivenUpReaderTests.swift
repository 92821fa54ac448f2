import CabinetBackend
import CabinetMemory
import Testing

@testable import Cabinet

/// Events where the engine has given up what they are read from.
struct GivenUpReaderTests {
    private final class Leaflet: StoredObject {
        @Field var text = ""
    }

    /// Once, the iteration went on behind it.
    @Test func aCommitThatCannotBeReadIsNotPassedOver() throws {
        let backend = MemoryBackend()
        let store = try Store(backend: backend, classes: [Leaflet.self])
        let leaflet = Leaflet()
        store.insert(leaflet)
        try store.save()
        let table = try #require(try backend.tables().first { $0.kind == .record }).number
        let names = TableNames(of: Leaflet.self, among: [Leaflet.self])
        let reader = EventReader(backend, of: [names], after: nil)
        leaflet.text = "read"
        try store.save()
        #expect(try reader.next()?.number == backend.lastCommit())
        try backend.commit { try $0.put([250, 1, 2], at: leaflet.rowID, in: table) }
        try backend.commit { try $0.put([1, 0, 0, 0, 0], at: leaflet.rowID, in: table) }
        for _ in 0..<3 { #expect(throws: StoreError.self) { try reader.next() } }
    }

    /// Once, the next event was an error.
    @Test func eventsGoOnBehindTheLastOne() throws {
        let backend = MemoryBackend(snapshots: SnapshotLimits(memory: 1024, total: 4096))
        let store = try Store(backend: backend, classes: [Leaflet.self])
        let leaflets = (0..<20).map { _ in Leaflet() }
        for leaflet in leaflets { store.insert(leaflet) }
        try store.save()
        func change(_ count: Int) throws {
            for round in 0..<count {
                for leaflet in leaflets {
                    leaflet.text = String(repeating: "\(round % 10)", count: 500)
                }
                try store.save()
            }
        }
        let names = TableNames(of: Leaflet.self, among: [Leaflet.self])
        let reader = EventReader(backend, of: [names], after: nil)
        var last = try backend.lastCommit()
        func expectNext() throws -> CommitEvents? {
            guard let next = try reader.next() else { return nil }
            #expect(next.number == last.next && next.events.count == leaflets.count)
            last = next.number
            return next
        }
        try change(3)
        _ = try #require(try expectNext())
        let held = try backend.snapshot()
        try change(9)
        #expect(throws: BackendError.self) { try held.lastCommit() }
        while try expectNext() != nil {}
        #expect(try last == backend.lastCommit())
    }
}
