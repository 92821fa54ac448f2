import Foundation

/// Told how far an import has come, in bytes of the file; called once a track or oftener.
package typealias ImportProgress = (_ read: Int, _ total: Int) -> Void

/// Reads a file of any known kind.
package enum LibraryImporter {
    /// Reads the whole file at `path`, or nothing.
    static func read(
        path: String, progress: ImportProgress = { _, _ in }
    ) throws(ImportError) -> ImportedLibrary {
        try read(ImportSource(path: path), progress: progress)
    }

    /// The file name's ending decides; where it says nothing, the first bytes do.
    package static func read(
        _ source: ImportSource, progress: ImportProgress = { _, _ in }
    ) throws(ImportError) -> ImportedLibrary {
        switch URL(fileURLWithPath: source.path).pathExtension.lowercased() {
        case "xml", "plist": try AppleLibraryImporter.read(source, progress: progress)
        case "m3u": try M3UImporter.read(source, encoding: .utf8OrLatin1, progress: progress)
        case "m3u8": try M3UImporter.read(source, encoding: .utf8, progress: progress)
        case "csv": try CSVImporter.read(source, progress: progress)
        default: try readByContent(source, progress: progress)
        }
    }

    private static func readByContent(
        _ source: ImportSource, progress: ImportProgress
    ) throws(ImportError) -> ImportedLibrary {
        let start = source.bytes.dropFirst(try source.startOfText()).prefix(16)
        for mark in ["<?xml", "<plist", "<!DOCTYPE plist", "bplist"]
        where start.starts(with: mark.utf8) {
            return try AppleLibraryImporter.read(source, progress: progress)
        }
        if start.starts(with: "#EXTM3U".utf8) {
            return try M3UImporter.read(source, encoding: .utf8OrLatin1, progress: progress)
        }
        throw ImportError(path: source.path, line: nil, problem: .unknownFormat)
    }
}
