import Cabinet
import CabinetBackend
import CabinetMemory
import Testing

@testable import CabinetTestModel

/// Nobody loses what was not saved without a word.
struct UnsavedChangesTests {
    let backend = MemoryBackend()
    let said = Guarded<[String]>([])

    var log: LogSink {
        LogSink(from: .warning) { [said] _, message in said.withLock { $0.append(message) } }
    }

    func open() throws -> Store { try Store(backend: backend, classes: [Song.self], log: log) }

    /// The counts in the messages.
    var counts: [Int] {
        said.withLock { $0 }.compactMap {
            guard $0.hasPrefix("A store was closed without saving ") else { return nil }
            return $0.split(separator: " ").lazy.compactMap { Int($0) }.first ?? 1
        }
    }

    func keepASong() throws {
        let store = try open()
        store.insert(Song("kept"))
        try store.save()
    }

    @Test func closingSaysHowMuchIsGone() throws {
        try keepASong()
        #expect(said.withLock { $0 } == [])
        let store = try open()
        try store.objects(of: Song.self)[0].title = "edited"
        store.insert(Song("new"))
        store.namedBuffers["x"] = DataBuffer()
        try store.close()
        #expect(counts == [3])
        try store.close()
        #expect(counts == [3])
    }

    @Test func whatWasRolledBackIsNoLoss() throws {
        try keepASong()
        let store = try open()
        store.insert(Song("new"))
        try store.delete(try store.objects(of: Song.self)[0])
        store.rollback()
        try store.close()
        #expect(said.withLock { $0 } == [])
    }

    @Test func aStoreThatIsFreedSaysIt() throws {
        try keepASong()
        func edit() throws {
            let store = try open()
            store.insert(Song("new"))
        }
        try edit()
        #expect(counts == [1])
    }

    @Test func readingStoresSayItAndFailedWritesThrowInstead() async throws {
        struct Refused: Error {}
        try keepASong()
        let container = StoreContainer(backend: backend, classes: [Song.self], log: log)
        try await container.read { store in
            for song in try store.objects(of: Song.self) { song.title = "edited" }
        }
        #expect(counts == [1])
        await #expect(throws: Refused.self) {
            try await container.write { store in
                store.insert(Song("new"))
                throw Refused()
            }
        }
        #expect(counts == [1])
        try container.close()
    }
}
