import Cabinet
import Foundation

extension Session {
    /// Imports one file: all of it, or nothing if it throws.
    func importLibrary(_ source: ImportSource) throws {
        let imported = try AppleLibraryImporter.read(source)
        let summary = try library.take(imported)
        try saveUnlessShell()
        console.print(Self.lines(of: summary, from: source.path, imported.notes))
    }

    /// What an import of the file at `path` says when it is done.
    static func lines(
        of summary: Library.Summary, from path: String, _ notes: [String]
    ) -> [String] {
        let name = URL(filePath: path).lastPathComponent
        let result =
            "\(name.printable): \(counted(summary.songs, "song")) (\(summary.newSongs) new), "
            + "\(counted(summary.playlists, "playlist")) (\(summary.newPlaylists) new)."
        return [result] + notes.map { "  " + $0 }
    }

    func export(_ name: String?) throws {
        console.print(try library.listing(of: name.map { try library.playlist($0) }).json())
    }

    func upgrade() throws {
        let songs = try store.upgradeAll(of: Song.self)
        let playlists = try store.upgradeAll(of: Playlist.self)
        if songs + playlists == 0 {
            return console.print("All records are of the present version.")
        }
        console.print(
            "Rewrote \(counted(songs, "song")) and \(counted(playlists, "playlist")) "
                + "of older versions.")
    }

    func info() throws {
        var table = Table(
            ["Class", "Rows", "Number", "Versions", "Bytes"], right: ["Rows", "Number", "Bytes"])
        table.append(try cells(for: Song.self))
        table.append(try cells(for: Playlist.self))
        console.print(table)
    }

    /// Versions stand with the number of their records: `3 (44), 4 (2)`.
    private func cells<Object: StoredObject>(for type: Object.Type) throws -> [String] {
        let metadata = try store.metadata(of: type)
        var versions: [UInt8: Int] = [:]
        var size = 0
        try store.forEachRecordVersion(type) { _, version, bytes in
            versions[version, default: 0] += 1
            size += bytes
        }
        let counts = versions.sorted { $0.key < $1.key }.map { "\($0.key) (\($0.value))" }
        return [
            metadata.storageName, "\(metadata.savedRows)", "\(metadata.number)",
            counts.isEmpty ? "-" : counts.joined(separator: ", "), "\(size)",
        ]
    }
}

// MARK: - Steps and saves

extension Session {
    func save() throws {
        let hadChanges = isEdited
        try saveAll()
        console.print(hadChanges ? "Saved." : "Nothing to save.")
    }

    func undo() throws {
        let name = store.undoHistory.undoName ?? ""
        let isDone = try store.undoHistory.undo()
        try saveUnlessShell()
        console.print(isDone ? "Took back: \(name.printable)" : "Nothing to take back.")
    }

    func redo() throws {
        let name = store.undoHistory.redoName ?? ""
        let isDone = try store.undoHistory.redo()
        try saveUnlessShell()
        console.print(isDone ? "Did again: \(name.printable)" : "Nothing to do again.")
    }

    func rollback() throws {
        try revert()
        console.print("Forgot all changes since the last save.")
    }
}
