import Foundation

/// A directory of a test's own, removed with all it holds when the last reference goes.
///
/// ```swift
/// let directory = try TemporaryDirectory()
/// let file = directory.url.appending(path: "Library.xml")
/// ```
///
/// `Sendable`, because it never changes. Keep a reference while the directory is in use:
/// `withExtendedLifetime` where the compiler could end it early.
public final class TemporaryDirectory: Sendable {
    /// Where it is. Empty at first, and readable by its user alone.
    public let url: URL

    /// Makes a directory with a new name below the system's directory for temporary files.
    public init() throws {
        url = FileManager.default.temporaryDirectory
            .appending(path: "Cabinet-\(UUID().uuidString)", directoryHint: .isDirectory)
        try FileManager.default.createDirectory(
            at: url, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    /// The path as the system takes it.
    public var path: String { url.path(percentEncoded: false) }
}
