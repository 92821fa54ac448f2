import Foundation

extension Session {
    /// Imports the files one after the other, each in a save of its own.
    func importFiles(_ paths: [String]) throws {
        for path in paths { try importLibrary(ImportSource(path: path)) }
    }

    /// Imports one file: all of it, or nothing if it throws.
    func importLibrary(_ source: ImportSource) throws {
        let name = URL(fileURLWithPath: source.path).lastPathComponent
        let imported = try AppleLibraryImporter.read(source)
        let summary = try library.take(imported)
        try saveUnlessShell()
        console.print(
            "\(name.printable): \(text(summary.songs, "song")), "
                + "\(text(summary.playlists, "playlist")).")
        for line in imported.leftOut.report { console.print("  " + line.printable) }
    }

    private func text(_ count: ImportSummary.Count, _ noun: String) -> String {
        if count.total == 0 { return "no \(noun)s" }
        let parts = [
            (count.new, "new"), (count.updated, "updated"), (count.unchanged, "unchanged"),
        ]
        let told = parts.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
        return "\(counted(count.total, noun)) (\(told.joined(separator: ", ")))"
    }
}
