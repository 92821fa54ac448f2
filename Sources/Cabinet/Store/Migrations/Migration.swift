import Foundation

/// A change of a whole store that runs once: for what no single object can decide, such as
/// splitting and merging objects and moving them to another class.
///
/// ```swift
/// let store = try Store(
///     directory: url, classes: [Song.self, Artist.self],
///     migrations: [
///         Migration("artists become objects") { store, progress in
///             var artists: [String: Artist] = [:]
///             for song in try store.objects(of: Song.self) {
///                 let artist = artists[song.artistName] ?? Artist(song.artistName)
///                 artists[song.artistName] = artist
///                 song.artist = artist
///             }
///         }
///     ])
/// try await store.migrate()
/// ```
///
/// The store's migrations run in their order, each once in the life of the store: the save that
/// writes its changes also writes its name. A store that is new when the program opens it needs
/// none of them; its first save writes their names only. Names that the program does not know,
/// those of a newer one, stay. `Sendable`: a value.
public struct Migration: Sendable {
    /// What the store remembers that it has run by: never change it. 1 to 200 bytes of UTF-8, and
    /// unique among the migrations of a program.
    public let name: String
    /// The storage names of classes whose saved records are deleted by the same save. The program
    /// must not register them.
    public let droppedClasses: [String]
    let body: @Sendable (Store, Progress) throws -> Void

    /// A migration with the given name.
    ///
    /// - Parameters:
    ///   - name: see ``name``.
    ///   - droppedClasses: storage names of classes that the program does not have any more, and whose
    ///     records are of no use after `body`. No delete rule is followed and no `prepareForDelete()`
    ///     is called, as no object is made. A name that the store does not know is no error.
    ///   - body: changes the objects of the store. `save()`, undo, redo and `close()` throw
    ///     ``StoreError/stepUnderWay`` there; `rollback()` traps. Objects that it changed stay in
    ///     memory until it has ended; walk by ``Store/forEach(_:unreadable:_:)`` or
    ///     ``Store/forEachRecord(of:_:)``, so that the others do not. Set the `totalUnitCount` and the
    ///     `completedUnitCount` of the progress to say how far it is, and throw `CancellationError`
    ///     if its `isCancelled` is set.
    public init(
        _ name: String, dropping droppedClasses: [String] = [],
        _ body: @escaping @Sendable (_ store: Store, _ progress: Progress) throws -> Void
    ) {
        self.name = name
        self.droppedClasses = droppedClasses
        self.body = body
    }

    /// Throws if a program cannot have `migrations` and the classes of `context`.
    /// - Throws: ``StoreError/badMigration(name:reason:)``
    static func check(
        _ migrations: [Migration], in context: ObjectContext
    ) throws(StoreError) {
        var names: Set<String> = []
        for migration in migrations {
            func refuse(_ reason: String) -> StoreError {
                .badMigration(name: migration.name, reason: reason)
            }
            guard 1...200 ~= migration.name.utf8.count else {
                throw refuse("a name has 1 to 200 bytes")
            }
            guard names.insert(migration.name).inserted else {
                throw refuse("another one has the same name")
            }
            for dropped in migration.droppedClasses {
                let folded = dropped.lowercased()
                // A class may still lie under a former name of its.
                if context.classes.contains(where: {
                    $0.name.lowercased() == folded || $0.definition?.foldedName == folded
                }) {
                    throw refuse("the class \(dropped), which it drops, is registered")
                }
            }
        }
    }
}
