import Foundation

@testable import playlists

/// Files beside the tests, and texts treated as if they were files.
enum Fixtures {
    struct Missing: Error { var name: String }

    static func path(_ name: String) throws -> String {
        guard let directory = Bundle.module.resourceURL else { throw Missing(name: name) }
        return directory.appendingPathComponent("Fixtures").appendingPathComponent(name).path
    }

    /// A file that several test targets share.
    static func shared(_ name: String) -> URL {
        URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Fixtures").appending(path: name)
    }

    /// Reads `text` as a file called `name` in the directory `/fixtures`.
    static func read(_ text: String, as name: String) throws(ImportError) -> ImportedLibrary {
        try read(Array(text.utf8), as: name)
    }

    static func read(_ bytes: [UInt8], as name: String) throws(ImportError) -> ImportedLibrary {
        try AppleLibraryImporter.read(ImportSource(path: "/fixtures/\(name)", bytes: bytes))
    }

    /// A library of one song.
    static func library(title: String, seconds: String) -> Data {
        Data(
            propertyList(
                "<dict><key>Tracks</key><dict><key>1</key><dict><key>Name</key><string>\(title)"
                    + "</string>\n<key>Total Time</key><integer>\(seconds)</integer></dict></dict>"
                    + "</dict>"
            ).utf8)
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

    /// What reading `text` throws; `nil` if it throws nothing.
    static func error(of text: String, as name: String) -> ImportError? {
        error(of: Array(text.utf8), as: name)
    }

    static func error(of bytes: [UInt8], as name: String) -> ImportError? {
        do throws(ImportError) {
            _ = try read(bytes, as: name)
            return nil
        } catch {
            return error
        }
    }
}
