import Foundation

extension Session {
    /// Imports the files one after the other, each in a save of its own.
    func importFiles(_ paths: [String]) throws {
        for path in paths { try importLibrary(ImportSource(path: path)) }
    }

    /// Imports one file: all of it, or nothing if it throws.
    func importLibrary(_ source: ImportSource) throws {
        let name = URL(fileURLWithPath: source.path).lastPathComponent
        var bar = ProgressBar("Reading \(name)", on: console)
        defer { bar.clear() }
        let imported = try LibraryImporter.read(source) { bar.update($0, of: $1) }
        let summary = try library.take(imported)
        try saveUnlessShell()
        bar.clear()
        console.print(
            "\(DisplayWidth.printable(name)): \(text(summary.songs, "song")), "
                + "\(text(summary.playlists, "playlist")).")
        for line in imported.leftOut.report { console.print("  " + DisplayWidth.printable(line)) }
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
