import Cabinet
import Foundation

/// A container in a directory of a test's own, closed and removed with all it holds when the last
/// reference goes: keep one while you use ``container``.
///
/// ```swift
/// let temporary = try TemporaryContainer([Song.self, Playlist.self])
/// try await temporary.container.write { store in store.insert(Song()) }
/// ```
///
/// `Sendable`, because it never changes.
public final class TemporaryContainer: Sendable {
    /// The container, for any number of stores.
    public let container: StoreContainer

    private let temporary: TemporaryDirectory

    /// Opens a container over a new directory.
    ///
    /// - Parameters:
    ///   - classes: every class whose objects are used.
    ///   - durability: `.process` by default, as tests seldom cut the power.
    public init(_ classes: [StoredObject.Type], durability: Durability = .process) throws {
        temporary = try TemporaryDirectory()
        container = try StoreContainer(
            directory: temporary.url.appending(path: "Store"), classes: classes,
            durability: durability)
    }

    deinit {
        // The files are removed, so an error of the last writes does not matter.
        try? container.close()
    }

    /// Where the container is.
    public var directory: URL { temporary.url.appending(path: "Store") }
}
