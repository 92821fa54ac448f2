import CabinetBackend
import CabinetMemory
import CabinetPostgreSQL
import CabinetSQLite
import CabinetTokyo
import TrustSupport

@testable import Cabinet

/// The engines that keep history, as far as the build has them.
enum HistoryEngine: CaseIterable {
    case memory, files
    #if SQLite
        case sqlite
    #endif
    #if PostgreSQL
        case postgres
    #endif

    static var present: [HistoryEngine] {
        #if PostgreSQL
            return allCases.filter { $0 != .postgres || PostgresServer.isInstalled }
        #else
            return allCases
        #endif
    }

    /// The place of a new store; the directory must outlive it.
    func place(in directory: ScratchDirectory) -> String {
        switch self {
        case .memory, .files: return directory.file("Store")
        #if SQLite
            case .sqlite: return directory.file("Store.sqlite")
        #endif
        #if PostgreSQL
            case .postgres: return PostgresServer.shared?.newStore() ?? ""
        #endif
        }
    }

    /// - Parameter changesKept: how many bytes of commits a feed in memory keeps of its own.
    func open(_ place: String, changesKept: Int = 1 << 20) throws -> any Backend {
        switch self {
        case .memory: return MemoryBackend(changesKept: changesKept)
        case .files: return try TokyoBackend(path: place, durability: .process, log: .none)
        #if SQLite
            case .sqlite: return try SQLiteBackend(path: place, durability: .process)
        #endif
        #if PostgreSQL
            case .postgres: return try PostgresBackend(place, durability: .process)
        #endif
        }
    }
}

extension Store {
    /// A store that no worker of history goes with.
    static func ofWorker(
        over backend: any Backend, _ classes: [StoredObject.Type]
    ) throws -> Store {
        try Store(
            backend: backend, reader: nil, classes: classes, migrations: [],
            versioning: .perInstance, log: .none, parts: allParts, isWorker: true)
    }
}
