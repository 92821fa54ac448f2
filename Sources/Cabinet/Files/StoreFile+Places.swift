import CabinetBackend
import CabinetTokyo
import Foundation

extension StoreFile {
    /// The path of a file without links, also of one that is not there yet: how a working directory is found. Of a
    /// package, that of the file in it.
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
        let content = path + "/" + StoreFilePlace.contentName
        var isDirectory: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) else {
            return url.hasDirectoryPath ? content : path
        }
        // Any other directory is none, but for what has the name of a document.
        let isPackage =
            FileManager.default.fileExists(atPath: content) || !url.pathExtension.isEmpty
        return isDirectory.boolValue && isPackage ? content : path
    }

    /// What a person knows as the document at `path`.
    static func url(ofPath path: String) -> URL {
        let place = StoreFilePlace(path)
        return URL(
            filePath: place.shownPath,
            directoryHint: place.isInPackage ? .isDirectory : .notDirectory)
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
