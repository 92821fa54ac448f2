import Foundation

@testable import playlists

/// Files beside the tests, and texts treated as if they were files.
enum Fixtures {
    struct Missing: Error { var name: String }

    static func path(_ name: String) throws -> String {
        guard let directory = Bundle.module.resourceURL else { throw Missing(name: name) }
        return directory.appending(path: "Fixtures/\(name)").path
    }

    /// A file that several test targets share.
    static func shared(_ name: String) -> URL {
        URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Fixtures/\(name)")
    }

    /// The content of `Library.xml`.
    static func library() throws -> ImportedLibrary {
        try AppleLibraryImporter.read(ImportSource(path: path("Library.xml")))
    }

    /// Reads `text` as a file called `/a.xml`.
    static func read(_ text: String) throws(ImportError) -> ImportedLibrary {
        try AppleLibraryImporter.read(ImportSource(path: "/a.xml", bytes: Array(text.utf8)))
    }

    /// What reading `bytes` as `/a.xml` throws; `nil` if it throws nothing.
    static func error(of bytes: [UInt8]) -> ImportError? {
        do throws(ImportError) {
            _ = try AppleLibraryImporter.read(ImportSource(path: "/a.xml", bytes: bytes))
            return nil
        } catch {
            return error
        }
    }

    static func error(of text: String) -> ImportError? { error(of: Array(text.utf8)) }

    /// A library of one track, whose content begins in line 4.
    static func library(ofTrack fields: String) -> String {
        propertyList(
            "<dict><key>Tracks</key><dict><key>7</key><dict>\n\(fields)</dict></dict></dict>")
    }

    /// A property list around `content`, whose first line is line 3.
    static func propertyList(_ content: String) -> String {
        """
        <?xml version="1.0" encoding="UTF-8"?>
        <plist version="1.0">
        \(content)
        </plist>
        """
    }
}
