import CabinetBackend
import CabinetTokyo
import Foundation

extension StoreFile {
    /// The path of a file without links, also of one that is not there yet: how a working directory is found.
    static func path(_ url: URL) throws -> String {
        guard url.isFileURL else { throw BackendError.notAStore(path: url.absoluteString) }
        let absolute = url.absoluteURL.standardizedFileURL
        let place = absolute.path(percentEncoded: false)
        let resolved =
            FileManager.default.fileExists(atPath: place)
            ? absolute.resolvingSymlinksInPath()
            : absolute.deletingLastPathComponent().resolvingSymlinksInPath()
                .appending(path: absolute.lastPathComponent)
        var path = resolved.path(percentEncoded: false)
        while path.count > 1, path.hasSuffix("/") { path.removeLast() }
        return path
    }

    static func directories(_ url: URL?) throws -> WorkingDirectories {
        let url =
            try url
            ?? FileManager.default.url(
                for: .applicationSupportDirectory, in: .userDomainMask, appropriateFor: nil,
                create: true
            ).appending(path: "Cabinet/Store Files")
        guard url.isFileURL else { throw BackendError.notAStore(path: url.absoluteString) }
        return WorkingDirectories(
            url.absoluteURL.resolvingSymlinksInPath().path(percentEncoded: false),
            files: SystemFiles())
    }
}
