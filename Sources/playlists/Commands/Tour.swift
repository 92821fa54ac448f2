import Cabinet

/// Shows the program at work on the bundled sample library, step by step.
struct Tour {
    /// The store does not hold what was saved.
    struct Difference: Error, CustomStringConvertible {
        var description: String { "The library is not as it was saved. Please report this." }
    }

    private static let playlist = "\"Dinner with Friends\""

    let console: Console
    /// Opens the store of the tour; called again when the first one is closed.
    let open: () throws -> Store

    func run() throws {
        let before = try change()
        let after = try lookAgain()
        console.print()
        if before != after { throw Difference() }
        console.print("Everything is as it was saved.")
    }

    /// - Returns: the library as it was saved.
    private func change() throws -> LibraryListing {
        let session = Session(try open(), on: console, isShell: true)
        let shell = Shell(session, isInteractive: false) { nil }
        heading("A sample library is imported and saved")
        try session.importLibrary(
            ImportSource(path: "Library.xml", bytes: PackageResources.SampleLibrary_xml))
        try perform("save", in: shell)
        try perform("list", in: shell)
        heading("A playlist is put into another order")
        try perform("list \(Self.playlist)", in: shell)
        try perform("move \(Self.playlist) 6 1", in: shell)
        try perform("list \(Self.playlist)", in: shell)
        heading("A song is deleted, and leaves every place it had in a playlist")
        try perform("show \"Brass Tacks\"", in: shell)
        try perform("delete-song \"Brass Tacks\"", in: shell)
        try perform("list \(Self.playlist)", in: shell)
        heading("That is undone: the song is back, in the same row and the same places")
        try perform("undo", in: shell)
        try perform("list \(Self.playlist)", in: shell)
        heading("The changes are saved, and the store is closed")
        try perform("save", in: shell)
        let listing = try session.library.listing()
        try session.store.close()
        return listing
    }

    /// - Returns: the library as it is found.
    private func lookAgain() throws -> LibraryListing {
        heading("The store is opened again")
        let session = Session(try open(), on: console, isShell: true)
        let shell = Shell(session, isInteractive: false) { nil }
        try perform("list \(Self.playlist)", in: shell)
        try perform("info", in: shell)
        let listing = try session.library.listing()
        try session.store.close()
        return listing
    }

    private func heading(_ text: String) {
        console.print()
        console.print("== \(text)")
    }

    private func perform(_ line: String, in shell: Shell) throws {
        console.print()
        console.print("playlists> \(line)")
        _ = try shell.perform(line)
    }
}
