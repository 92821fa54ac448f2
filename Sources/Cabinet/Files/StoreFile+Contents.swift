import CabinetBackend
import Foundation

extension StoreFile {
    /// A document whose file was read by another part of the program, such as a framework that gives bytes.
    ///
    /// It has no place: ``url`` is `nil`. Its working directory goes with the process, as that part of the
    /// program keeps what is not saved.
    /// - Parameters:
    ///   - contents: the bytes of a store file; empty for a new document.
    ///   - classes: as of
    ///     ``init(_:classes:migrations:creating:discardingUnsavedEdits:durability:key:workingDirectory:log:progress:)``,
    ///     like what follows.
    ///   - migrations: what is to run once in the life of the store.
    ///   - key: of a sealed file, or for a new document.
    ///   - workingDirectory: what working directories are made in.
    ///   - log: gets messages.
    /// - Throws: as that.
    public convenience init(
        contents: Data, classes: [StoredObject.Type], migrations: [Migration] = [],
        key: StoreKey? = nil, workingDirectory: URL? = nil, log: LogSink = .standardError
    ) throws {
        let place = Self.temporaryPlace
        defer { try? FileManager.default.removeItem(at: place) }
        if !contents.isEmpty { try contents.write(to: place) }
        try self.init(
            place: contents.isEmpty ? nil : place, isTransient: true, classes: classes,
            migrations: migrations, key: key, workingDirectory: workingDirectory, log: log)
    }

    /// The document as the bytes of a store file, with all that is pending, which is saved to the store.
    /// - Throws: as ``duplicate(to:overwriting:progress:)``.
    public func contents() throws -> Data {
        let place = Self.temporaryPlace
        defer { try? FileManager.default.removeItem(at: place) }
        try duplicate(to: place)
        return try Data(contentsOf: place)
    }

    /// Writes the document where a framework for documents wants it, which has asked before it overwrites.
    /// - Parameters:
    ///   - url: the document's own file, or another one.
    ///   - moving: whether the document is of that file from now on.
    /// - Throws: as ``save(overwriting:progress:)`` for its own file: one that another program has changed is
    ///   not overwritten; as ``save(as:overwriting:progress:)`` for others.
    public func write(to url: URL, moving: Bool) throws {
        if let own = self.url, try Self.path(own) == Self.path(url) {
            try save()
        } else if moving {
            try save(as: url, overwriting: true)
        } else {
            try duplicate(to: url, overwriting: true)
        }
    }

    private static var temporaryPlace: URL {
        FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).cabinet")
    }
}
