import CabinetBackend
import Foundation

/// The objects of one directory, or of memory, opened once for any number of stores.
///
/// ```swift
/// let container = try StoreContainer(directory: url, classes: [Song.self, Playlist.self])
/// let store = try container.makeStore()
/// try await container.write { store in store.insert(Song()) }
/// let count = try await container.read { store in try store.count(of: Song.self) }
/// ```
///
/// Each store belongs to one isolation domain, with objects of its own; IDs (``ObjectID``) and
/// ``FrozenObject`` values cross from one to another. `Sendable`: its properties do not change, and
/// the engine guards itself.
public final class StoreContainer: Sendable {
    /// Where records are kept.
    public let backend: any Backend

    let classes: [StoredObject.Type]
    let migrations: [Migration]
    let versioning: Versioning
    let log: LogSink
    let writer = StoreWriter()
    let hub: CommitHub
    /// Whether the container keeps the backend open. That of a store does not.
    private let isUser: Bool
    private let isClosed = Guarded(false)

    /// A container over a backend of your own. Closing it, or the last store over it, closes the
    /// backend.
    ///
    /// - Parameters: as of ``Store/init(backend:classes:migrations:versioning:log:)``.
    public convenience init(
        backend: any Backend, classes: [StoredObject.Type], migrations: [Migration] = [],
        versioning: Versioning = .perInstance, log: LogSink = .standardError
    ) {
        self.init(
            backend, classes: classes, migrations: migrations, versioning: versioning, log: log,
            isUser: true)
    }

    init(
        _ backend: any Backend, classes: [StoredObject.Type], migrations: [Migration],
        versioning: Versioning, log: LogSink, isUser: Bool
    ) {
        self.backend = backend
        self.classes = classes
        self.migrations = migrations
        self.versioning = versioning
        self.log = log
        self.isUser = isUser
        hub = CommitHub.of(backend)
        if isUser { hub.enter() }
    }

    deinit {
        guard isUser, !isClosed.withLock({ $0 }), hub.leave() else { return }
        // There is no caller for an error of the last writes; acknowledged saves are safe.
        try? backend.close()
        hub.noteClosed()
    }

    /// The container of the directory at `directory`, which is made if need be.
    ///
    /// The classes are looked at when the first store is made.
    /// - Parameters: as of
    ///   ``Store/init(directory:classes:migrations:durability:access:key:versioning:log:)``.
    /// - Throws: ``BackendError`` if the directory cannot be used.
    public convenience init(
        directory: URL, classes: [StoredObject.Type], migrations: [Migration] = [],
        durability: Durability = .full, access: Access = .readWrite, key: StoreKey? = nil,
        versioning: Versioning = .perInstance, log: LogSink = .standardError
    ) throws {
        self.init(
            backend: try Store.makeBackend(
                in: directory, durability: durability, access: access, key: key, log: log),
            classes: classes, migrations: migrations, versioning: versioning, log: log)
    }

    /// A container in memory: nothing is written anywhere, and everything goes with it.
    public convenience init(inMemory classes: [StoredObject.Type], log: LogSink = .standardError) {
        self.init(backend: Store.makeMemoryBackend(), classes: classes, log: log)
    }

    /// A store for the caller's isolation domain, which reads as of the last commit.
    ///
    /// Where others commit, too, the engine is asked what they have committed: one way to a server.
    /// - Parameters:
    ///   - fileID: with `line`, what ``openSnapshots`` says of the store.
    ///   - line: see `fileID`.
    /// - Throws: as ``Store/init(backend:classes:migrations:versioning:log:)``, and
    ///   `BackendError.closed`.
    public func makeStore(fileID: String = #fileID, line: Int = #line) throws -> Store {
        try backend.refreshBesideOthers()
        let store = try Store(
            backend: backend, reader: nil, classes: classes, migrations: migrations,
            versioning: versioning, log: log, parts: Store.allParts,
            label: "\(fileID):\(line)")
        _ = store.annex(StoreContainer.self) { _ in self }
        return store
    }

    /// What the engine keeps for stores that are behind the last commit, oldest first: since when,
    /// how many bytes, and where each store was made. Beyond a budget of the engine, the oldest one
    /// gets `BackendError.snapshotTooOld`; ``Store/refresh()`` makes that store whole again.
    public var openSnapshots: [OpenSnapshot] { backend.openSnapshots }

    /// Ends the use of the backend. Every call of a store that needs it throws
    /// `BackendError.closed` from then on; objects keep what was read of them. Closing again does
    /// nothing.
    /// - Throws: what the engine throws when it brings its files to rest; it is closed all the
    ///   same.
    public func close() throws {
        let wasClosed = isClosed.withLock { isClosed in
            defer { isClosed = true }
            return isClosed
        }
        if wasClosed { return }
        if isUser { _ = hub.leave() }
        hub.endWork()
        defer { hub.noteClosed() }
        try backend.close()
    }
}

extension Store {
    /// The container that the store is one of: it makes further stores over the same backend, for
    /// other isolation domains.
    ///
    /// That of a store that was opened by itself does not keep the backend open: closing the last
    /// store closes it.
    public var container: StoreContainer {
        annex(StoreContainer.self) { store in
            StoreContainer(
                store.backend, classes: store.classes.map(\.type), migrations: store.migrations,
                versioning: store.codec.versioning, log: store.log, isUser: false)
        }
    }
}
