import CabinetBackend
import CabinetMemory
import CabinetTextSearch
import CabinetTokyo
import Foundation

extension Store {
    /// A store over a backend of your own, which may serve several stores: each in its own
    /// isolation domain, with objects of its own. Closing the last one that is open closes the
    /// backend.
    ///
    /// A store reads as of one commit, its ``basis``, whatever others save; ``refresh()``,
    /// and ``save()`` where something is pending, catch up with them. A save that would undo the work of others throws
    /// ``StoreError/conflict(_:)``, or merges: see ``save(onConflict:)``. Over an engine without
    /// ``BackendFeatures/snapshots`` and ``BackendFeatures/bases`` a store sees each commit at once,
    /// except in objects that it has read, and the last save of a record wins.
    /// - Throws: as ``init(inMemory:log:)``, ``StoreError/badCatalog(class:reason:)``,
    ///   ``StoreError/badMigration(name:reason:)``, and what the backend throws. The backend stays
    ///   open then.
    public convenience init(
        backend: any Backend, classes: [StoredObject.Type], migrations: [Migration] = [],
        versioning: Versioning = .perInstance, log: LogSink = .standardError
    ) throws {
        try self.init(
            backend: backend, reader: nil, classes: classes, migrations: migrations,
            versioning: versioning, log: log, parts: Self.allParts)
    }

    /// The store in `directory`, which is made if need be.
    ///
    /// The directories that BNRPersistence (2010) wrote open as they are; the first save adopts
    /// them. One program at a time may open a store for writing, and any number for reading beside
    /// it; a program may open a directory once at a time. Several stores of one program share a
    /// backend: see ``init(backend:classes:migrations:versioning:log:)``.
    ///
    /// Beside a program that writes, a store that only reads is of one commit, and ``refresh()`` takes
    /// it to the latest: whole saves, never a part of one, and at ``Durability/full`` none that could
    /// still fail. The writer may end, be killed, begin again or compact its log meanwhile. It does
    /// not wait for readers, and its saves cost the same: readers copy its views to a temporary
    /// directory, which takes as much disk space. A writer that begins while programs read copies them
    /// once. Objects of a class that was saved for the first time after the store was opened are seen
    /// by stores that are opened later.
    /// - Parameters:
    ///   - directory: where the store is; it is made if need be.
    ///   - classes: every class whose objects are used, in any order. A superclass that has no objects
    ///     of its own need not be there; naming a class twice does no harm.
    ///   - migrations: what is to run once in the life of the store, in this order. None runs here:
    ///     see ``migrate(progress:isolation:)``.
    ///   - durability: how safe a save is when it has returned.
    ///   - access: with ``Access/readOnly``, no file in the directory is changed, nothing can be
    ///     inserted, and saving is refused.
    ///   - key: the key of a sealed store; it seals one in which nothing was ever saved. Without one the store is
    ///     not sealed. Needs the package's trait `Encryption`: see <doc:Encryption>.
    ///   - versioning: for a directory that was written without version bytes; others know theirs.
    ///   - log: gets messages about recoveries, repaired files, objects that could not be read and changes
    ///     that were not saved.
    /// - Throws: ``BackendError`` if the directory cannot be used (it is a file or not on this
    ///   machine, not permitted, in use, damaged, sealed by another key, or of a newer Cabinet),
    ///   ``StoreError/badStorageName(_:)``, ``StoreError/sharedStorageName(_:classes:)``,
    ///   ``StoreError/renamedClass(_:now:)``, ``StoreError/tooManyClasses(_:)``,
    ///   ``StoreError/cannotStore(class:field:reason:)``, ``StoreError/badInverse(class:field:reason:)``,
    ///   ``StoreError/unclearFields(class:fields:reason:)``, ``StoreError/badCatalog(class:reason:)``,
    ///   ``StoreError/newerFormat(class:field:found:)``, ``StoreError/leftUnsealed(_:)``,
    ///   ``StoreError/badMigration(name:reason:)``, ``StoreError/badTrigger(class:trigger:reason:)``,
    ///   ``StoreError/badIndex(class:index:reason:)``, ``StoreError/collationChanged(class:index:collation:)``. No
    ///   record is changed, and a directory that was not there is not there afterwards.
    public convenience init(
        directory: URL, classes: [StoredObject.Type], migrations: [Migration] = [],
        durability: Durability = .full, access: Access = .readWrite, key: StoreKey? = nil,
        versioning: Versioning = .perInstance, log: LogSink = .standardError
    ) throws {
        let backend = try Self.makeBackend(
            in: directory, durability: durability, access: access, key: key, log: log)
        do {
            try self.init(
                backend: backend, classes: classes, migrations: migrations,
                versioning: versioning, log: log)
        } catch {
            // What failed counts, not what closing has to say after it.
            try? backend.abandon()
            throw error
        }
    }

    /// A store in memory: nothing is written anywhere, and everything goes with it.
    ///
    /// - Throws: ``StoreError/badStorageName(_:)``, ``StoreError/sharedStorageName(_:classes:)``,
    ///   ``StoreError/tooManyClasses(_:)``, ``StoreError/cannotStore(class:field:reason:)``,
    ///   ``StoreError/badInverse(class:field:reason:)``, ``StoreError/badTrigger(class:trigger:reason:)``,
    ///   ``StoreError/badIndex(class:index:reason:)``.
    public convenience init(
        inMemory classes: [StoredObject.Type], log: LogSink = .standardError
    ) throws {
        try self.init(backend: Self.makeMemoryBackend(), classes: classes, log: log)
    }

    static func makeBackend(
        in directory: URL, durability: Durability, access: Access, key: StoreKey?, log: LogSink
    ) throws -> TokyoBackend {
        guard directory.isFileURL else {
            throw BackendError.notAStore(path: directory.absoluteString)
        }
        return try TokyoBackend(
            path: directory.path(percentEncoded: false), durability: durability, access: access,
            key: key, log: log)
    }

    static func makeMemoryBackend() -> any Backend { MemoryBackend() }
}
