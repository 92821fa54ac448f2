import Cabinet
import Foundation

/// A store in a directory of a test's own, closed and removed with all it holds when the last
/// reference goes: keep one while you use ``store``.
///
/// ```swift
/// let temporary = try TemporaryStore([Song.self, Playlist.self])
/// temporary.store.insert(Song(title: "Echoes"))
/// try temporary.store.save()
/// let again = try temporary.reopen()      // what a relaunched program would find
/// ```
///
/// Not `Sendable`, as the store is not.
public final class TemporaryStore {
    /// The store, opened last.
    public private(set) var store: Store

    private let storedClass: TemporaryDirectory
    private let classes: [StoredObject.Type]
    private let durability: Durability

    /// Opens a new store for `classes`.
    ///
    /// - Parameters:
    ///   - classes: every class whose objects are used.
    ///   - durability: `.process` by default, as tests seldom cut the power.
    public init(_ classes: [StoredObject.Type], durability: Durability = .process) throws {
        storedClass = try TemporaryDirectory()
        self.classes = classes
        self.durability = durability
        store = try Store(
            directory: storedClass.url.appending(path: "Store"), classes: classes,
            durability: durability)
    }

    deinit {
        // The files are removed, so an error of the last writes does not matter.
        try? store.close()
    }

    /// Where the store is.
    public var directory: URL { storedClass.url.appending(path: "Store") }

    /// Closes the store. Pending changes are dropped.
    public func close() throws { try store.close() }

    /// Closes the store and opens it again, for other classes if some are given.
    @discardableResult
    public func reopen(
        _ classes: [StoredObject.Type]? = nil, access: Access = .readWrite,
        log: LogSink = .standardError
    ) throws -> Store {
        try store.close()
        store = try Store(
            directory: directory, classes: classes ?? self.classes, durability: durability,
            access: access, log: log)
        return store
    }
}
