import CabinetBackend
import CabinetTokyo
import Foundation

/// A document that a program has left, by a crash or by closing it unsaved. `Sendable`: a value.
public struct LeftDocument: Hashable, Sendable {
    /// Its file; `nil`: it was never saved.
    public let url: URL?
    let directory: String
}

extension StoreFile {
    /// The documents that programs have left. Those of a file may have nothing that the file has not; ones that are
    /// open are not among them.
    ///
    /// - Parameter workingDirectory: what working directories are made in, as of
    ///   ``init(_:classes:migrations:creating:discardingUnsavedEdits:durability:key:workingDirectory:log:progress:)``.
    /// - Throws: what reading directories throws.
    public static func leftDocuments(workingDirectory: URL? = nil) throws -> [LeftDocument] {
        try directories(workingDirectory).left().map { left in
            LeftDocument(
                url: left.file.isEmpty ? nil : url(ofPath: left.file), directory: left.directory)
        }
    }

    /// Opens a document that was left, with all that was saved to its store.
    ///
    /// - Throws: as opening a file, and `BackendError.noStore` if it is not there any more.
    public convenience init(
        _ left: LeftDocument, classes: [StoredObject.Type], migrations: [Migration] = [],
        durability: Durability = .full, key: StoreKey? = nil, workingDirectory: URL? = nil,
        log: LogSink = .standardError
    ) throws {
        try self.init(
            place: left.url, left: left.directory, classes: classes, migrations: migrations,
            durability: durability, key: key, workingDirectory: workingDirectory, log: log)
        url = left.url
    }
}
