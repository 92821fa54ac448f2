import CabinetBackend
import CabinetTokyo
import Foundation

/// A store as a document: one file, which a person opens, saves, saves as, duplicates and reverts.
///
/// ```swift
/// let file = try StoreFile(url, classes: [Song.self, Playlist.self])
/// file.store.insert(Song())
/// file.metadata.title = "Road trip"
/// try file.save()
/// ```
///
/// Opening unpacks the file into a *working directory*, whose store is as safe as any: what was saved to
/// it, by `store.save()` too, outlives a crash, and the next opening of the file has it again
/// (``unsavedEdits``). Only ``save(overwriting:progress:)`` and its kin write the file, each time as a whole:
/// at each moment the former or the new one is there.
///
/// A store file belongs to the isolation domain of its ``store``: not `Sendable`. ``container`` makes
/// stores for others.
public final class StoreFile {
    /// Where the file is; `nil` as long as a new document was not saved.
    public internal(set) var url: URL?
    /// The store that the document is shown and edited with. Another one after a revert.
    public internal(set) var store: Store
    /// Makes further stores, for other isolation domains. Another one after a revert.
    public internal(set) var container: StoreContainer
    /// What the file says of itself, as of the next save.
    public var metadata: StoreFileMetadata {
        didSet { if metadata != oldValue { isMetadataEdited = true } }
    }
    /// Called before each save, to bring the metadata up to date; it must not edit the store.
    public var describe: ((Store, inout StoreFileMetadata) -> Void)?
    /// What was not saved when the file was last in use; `nil`: nothing, or it was saved or reverted since.
    public internal(set) var unsavedEdits: UnsavedEdits?
    /// What could not be read of a file that is damaged; empty for a whole one. With ``unsavedEdits`` made since
    /// it was read, one finding that names the file. Saving then needs to be told to overwrite, as it drops
    /// what another program might still read of it.
    public internal(set) var damage: [StoreFinding]

    let working: WorkingStore
    let settings: Settings
    var isMetadataEdited = false
    var isClosed = false

    /// How stores are made.
    struct Settings {
        var classes: [StoredObject.Type]
        var migrations: [Migration]
        var log: LogSink

        func container(_ backend: TokyoBackend) -> StoreContainer {
            StoreContainer(
                backend: backend, classes: classes, migrations: migrations, log: log)
        }
    }

    /// Opens the file at `url`, or begins a new document.
    ///
    /// - Parameters:
    ///   - url: the file, or the package: a directory, or a place for one (`hasDirectoryPath`). Without one there, a
    ///     new document that ``save(overwriting:progress:)`` writes there. `nil`: one that has no place yet.
    ///   - classes: as of ``Store/init(directory:classes:migrations:durability:access:key:versioning:log:)``,
    ///     like what follows.
    ///   - migrations: what is to run once in the life of the store.
    ///   - creating: `false`: the file must be there, or edits of it that were left unsaved.
    ///   - discardingUnsavedEdits: whether what was not saved when the file was last in use goes.
    ///   - durability: how safe `store.save()` is in the working directory; saves of the file are always
    ///     on the device.
    ///   - key: the key of a sealed file, or by which a new document is sealed: its file, and its working directory.
    ///     It is kept as long as the document is open, for reverts; a provider is asked again then.
    ///   - workingDirectory: what working directories are made in, the same at each opening; `nil`:
    ///     `Cabinet/Store Files` in the user's directory for application support (`XDG_DATA_HOME` on Linux).
    ///   - log: gets messages.
    ///   - progress: shows how far opening is, and cancels it.
    /// - Throws: `BackendError.busy` if the file is open already, here or in another program; `.noStore` if it
    ///   must be there and is not, `.notAStore` if it is none, `.newerFormat`; `.keyNeeded`, `.wrongKey`,
    ///   `.notEncrypted` for a key to a file that is not sealed; `.corrupt` if it is damaged so
    ///   that nothing can be read; what opening a store throws; `CancellationError`. The file is not
    ///   changed, and what was unsaved is kept.
    public convenience init(
        _ url: URL?, classes: [StoredObject.Type], migrations: [Migration] = [],
        creating: Bool = true, discardingUnsavedEdits: Bool = false,
        durability: Durability = .full, key: StoreKey? = nil, workingDirectory: URL? = nil,
        log: LogSink = .standardError, progress: Progress? = nil
    ) throws {
        try self.init(
            place: url, creating: creating, discarding: discardingUnsavedEdits, classes: classes,
            migrations: migrations, durability: durability, key: key,
            workingDirectory: workingDirectory, log: log, progress: progress)
        self.url = url
    }

    /// - Parameters:
    ///   - place: what is read.
    ///   - left: the working directory to go on with.
    ///   - isTransient: whether the working directory goes with the process.
    init(
        place: URL?, left: String? = nil, creating: Bool = true, discarding: Bool = false,
        isTransient: Bool = false,
        classes: [StoredObject.Type], migrations: [Migration], durability: Durability = .full,
        key: StoreKey?, workingDirectory: URL?, log: LogSink, progress: Progress? = nil
    ) throws {
        var options = WorkingStore.Options()
        options.directory = left
        options.creates = creating
        options.discards = discarding
        options.isTransient = isTransient
        options.durability = durability
        options.keys = key.map { [$0] } ?? []
        let path = try place.map(Self.path)
        let settings = Settings(classes: classes, migrations: migrations, log: log)
        var made: (StoreContainer, Store)?
        let opened = try WorkingStore.open(
            path ?? "", in: try Self.directories(workingDirectory), options, log: log,
            reporter: ProgressReporter(progress)
        ) { backend in
            let container = settings.container(backend)
            made = (container, try container.makeStore())
        }
        guard let (container, store) = made else { throw StoreError.closed }
        (self.settings, working) = (settings, opened.working)
        (self.container, self.store) = (container, store)
        metadata = StoreFileMetadata(working)
        isMetadataEdited = working.fileHasFormerKeys
        if isTransient { working.forgetFile() }
        damage = opened.report?.lost ?? []
        if damage.isEmpty, let path, opened.unsaved?.standing == .damaged {
            damage = [StoreFinding(.damagedSnapshot, path: path)]
        }
        unsavedEdits = opened.unsaved.map(UnsavedEdits.init)
    }

    /// Whether the document has anything that the file has not: pending changes of ``store``, commits of any
    /// store of the ``container``, or metadata. Where that cannot be found out, because the store is closed
    /// or its log cannot be read, `true`.
    public var isEdited: Bool {
        if store.hasChanges || isMetadataEdited { return true }
        return (try? working.hasEdits) ?? true
    }

    /// Ends the use of the file. Pending changes are dropped, of which a message warns. What was saved to
    /// the store and not to the file stays in the working directory, as ``unsavedEdits`` of the next opening.
    /// Closing again does nothing.
    /// - Parameter discardingEdits: whether that goes, too.
    /// - Throws: `StoreError.enumerating` or `.stepUnderWay`, and the file stays open; what the engine throws
    ///   when it brings its files to rest, and the file is closed all the same.
    public func close(discardingEdits: Bool = false) throws {
        if isClosed { return }
        // Read as long as there is a log to read.
        _ = try? working.hasEdits
        try store.close()
        isClosed = true
        let result = Result { try container.close() }
        try working.finish(discarding: discardingEdits)
        try result.get()
    }

    // MARK: Without opening

    /// What the file at `url` says of itself. Reads the first 64 KiB, or as much as there is of metadata.
    /// - Parameters:
    ///   - url: the file.
    ///   - key: of a sealed file whose metadata are sealed, too (``showsMetadata``).
    /// - Throws: `BackendError.noStore`, `.notAStore`, `.newerFormat`, `.keyNeeded`, `.wrongKey`; `.corrupt` if
    ///   header or metadata are damaged.
    public static func metadata(of url: URL, key: StoreKey? = nil) throws -> StoreFileMetadata {
        let path = try path(url)
        let reader = try StoreFileReader(path, files: SystemFiles())
        guard let bytes = try reader.metadata(key: key), var metadata = StoreFileMetadata(bytes)
        else {
            throw BackendError.corrupt(path: path, offset: UInt64(StoreFileHeader.metadataOffset))
        }
        metadata.modified = reader.header.date
        return metadata
    }
}

extension StoreFileMetadata {
    /// Those of the file of a working store, or none.
    init(_ working: WorkingStore) {
        self = working.metadata.flatMap { StoreFileMetadata($0) } ?? StoreFileMetadata()
        modified = working.fileHeader?.date
    }
}

extension StoreFileHeader {
    /// When the file was written.
    var date: Date { Date(timeIntervalSince1970: Double(time) / 1_000_000) }
}

extension UnsavedEdits {
    init(_ commits: WorkingStore.UnsavedCommits) {
        lastCommit = commits.last
        file =
            switch commits.standing {
            case .same, .none: .unchanged
            case .changed, .damaged: .changed
            case .missing: .missing
            }
    }
}
