import Cabinet
import CabinetTools
import Foundation

/// Shows the program at work on the bundled sample library, step by step, in a directory that is
/// gone afterwards.
struct Tour {
    /// The store does not hold what was saved.
    struct Difference: Error, CustomStringConvertible {
        var description: String { "The library is not as it was saved. Please report this." }
    }

    let console: Console

    func run() throws {
        let directory = URL.temporaryDirectory.appending(path: "playlists-\(UUID())")
        defer { try? FileManager.default.removeItem(at: directory) }
        let place = StoreAddress.directory(directory.path)
        let (before, id) = try change(Library.open(place, for: .creating))
        try lookAgain(Library.open(place, for: .reading), for: before, id)
        try lookBack(Library.open(place, for: .changing), at: before)
        console.print("\nEverything is as it was saved.")
    }

    /// - Returns: the library as it was saved, and the ID of the playlist that was changed.
    private func change(_ store: Store) throws -> (LibraryListing, ObjectID<Playlist>?) {
        let session = Session(store, on: console, isShell: true)
        let shell = Shell(session, input: LineInput(isInteractive: false) { _, _ in nil })
        let playlist = "\"Dinner with Friends\""
        heading("A sample library is imported and saved")
        try session.importLibrary(
            ImportSource(path: "Library.xml", bytes: PackageResources.SampleLibrary_xml))
        try perform(["save", "list"], in: shell)
        heading("Songs are found by words in any order, with typos, and counted")
        try perform(["search velquist arithmetik", "top genres --limit 3"], in: shell)
        heading("A playlist is put into another order")
        try perform(["list \(playlist)", "move \(playlist) 6 1", "list \(playlist)"], in: shell)
        heading("A song is deleted, and leaves every place it had in a playlist")
        try perform(
            ["show \"Brass Tacks\"", "delete-song \"Brass Tacks\"", "list \(playlist)"], in: shell)
        heading("That is undone: the song is back, in the same row and the same places")
        try perform(["undo", "list \(playlist)"], in: shell)
        heading("The changes are saved, and the store is closed")
        try perform(["save"], in: shell)
        let id = try session.library.playlist("Dinner with Friends").objectID
        let listing = try session.library.listing()
        try store.close()
        return (listing, id)
    }

    private func lookAgain(
        _ store: Store, for before: LibraryListing, _ id: ObjectID<Playlist>?
    ) throws {
        heading("The store is opened again, and the playlist is found by its ID")
        let session = Session(store, on: console, isShell: true)
        guard let playlist = try id.flatMap({ try store.object($0) }),
            try session.library.listing() == before
        else { throw Difference() }
        let shell = Shell(session, input: LineInput(isInteractive: false) { _, _ in nil })
        try perform(["list @\(playlist.rowID)", "info"], in: shell)
        try store.close()
    }

    /// Undoes what an earlier run has done, and asks how things stood.
    private func lookBack(_ store: Store, at before: LibraryListing) throws {
        let session = Session(store, on: console, isShell: true)
        let shell = Shell(session, input: LineInput(isInteractive: false) { _, _ in nil })
        let playlist = "\"Dinner with Friends\""
        heading("A later run still undoes what an earlier one has done, and does it again")
        try perform(["undo", "save", "list \(playlist)", "redo", "save"], in: shell)
        heading("What has become of a song, and how the playlist stood before")
        let events = try store.container.history(
            of: session.library.playlist("Dinner with Friends"))
        guard let first = events.first?.commit, events.count > 2 else { throw Difference() }
        try perform(["history \"Brass Tacks\"", "asof \(first) list \(playlist)"], in: shell)
        guard try session.library.listing() == before else { throw Difference() }
        try store.close()
    }

    private func heading(_ text: String) { console.print("\n== \(text)") }

    private func perform(_ lines: [String], in shell: Shell) throws {
        for line in lines {
            console.print("\nplaylists> \(line)")
            _ = try shell.perform(line)
        }
    }
}
