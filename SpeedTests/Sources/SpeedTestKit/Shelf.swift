import Cabinet
import CabinetMemory
import CabinetSQLite
import Foundation

/// Where the stores of a job are: in its directory, or in memory for as long as the process.
final class Shelf {
    private let job: Job
    private let isFile: Bool
    private var memory: MemoryBackend?
    /// Whether stores in files that are opened from now on show fields as columns.
    var showsColumns = false

    init(_ job: Job, of engine: Engine) {
        self.job = job
        isFile = engine == .file
        memory = engine == .memory ? MemoryBackend() : nil
    }

    func open(_ classes: [StoredObject.Type] = [Song.self, Playlist.self]) throws -> Store {
        if let memory { return try Store(backend: memory, classes: classes) }
        if isFile {
            let backend = try SQLiteBackend(
                path: job.directory + "/Store.sqlite", durability: job.isFull ? .full : .process)
            let store = try Store(backend: backend, classes: classes)
            if showsColumns { try backend.showColumns() }
            return store
        }
        return try Store(
            directory: URL(fileURLWithPath: job.directory), classes: classes,
            durability: job.isFull ? .full : .process)
    }

    /// Closes `store`. One in memory would lose what it holds.
    func close(_ store: Store) throws {
        if memory == nil { try store.close() }
    }
}
