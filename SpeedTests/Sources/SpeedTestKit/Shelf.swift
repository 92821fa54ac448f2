import Cabinet
import CabinetMemory
import Foundation

/// Where the stores of a job are: in its directory, or in memory for as long as the process.
final class Shelf {
    private let job: Job
    private var memory: MemoryBackend?

    init(_ job: Job, inMemory: Bool) {
        self.job = job
        memory = inMemory ? MemoryBackend() : nil
    }

    func open(_ classes: [StoredObject.Type] = [Song.self, Playlist.self]) throws -> Store {
        if let memory { return try Store(backend: memory, classes: classes) }
        return try Store(
            directory: URL(fileURLWithPath: job.directory), classes: classes,
            durability: job.isFull ? .full : .process)
    }

    /// Closes `store`. One in memory would lose what it holds.
    func close(_ store: Store) throws {
        if memory == nil { try store.close() }
    }
}
