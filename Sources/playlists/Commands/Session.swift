import Cabinet

/// One open library, and the commands at work on it.
///
/// Outside of the shell every command saves what it changed. Not `Sendable`: it lives where its
/// store does.
final class Session {
    private(set) var library: Library
    let console: Console
    /// The store file of the library; `nil`: it is in a store of another kind.
    let file: StoreFile?
    /// In the shell nothing is kept until `save`.
    let isShell: Bool
    /// Where a person's shell has files imported; `nil`: in this store.
    var imports: BackgroundImports?

    var store: Store { library.store }

    init(_ store: Store, of file: StoreFile? = nil, on console: Console, isShell: Bool = false) {
        library = Library(store)
        self.file = file
        self.console = console
        self.isShell = isShell
    }

    /// Does what `invocation` says, and prints how it went.
    ///
    /// - Throws: ``UsageError``, ``LibraryError``, ``ImportError``, or what the store throws.
    ///   Nothing was saved then, except the files of an import before the one that failed.
    func run(_ invocation: Invocation) throws {
        let operands = invocation.operands
        switch invocation.command {
        case .importing:
            for path in operands {
                if let imports {
                    try imports.begin(path)
                } else {
                    try importLibrary(ImportSource(path: path))
                }
            }
        case .list: try list(invocation)
        case .show: try show(operands[0])
        case .search: try search(invocation)
        case .browse: try browse(invocation)
        case .history: try history(operands[0])
        case .asof: try asOf(invocation)
        case .top: try top(invocation)
        case .duplicates: try duplicates()
        case .export: try export(operands.first)
        case .info: try info()
        case .upgrade: try upgrade()
        case .save: try save()
        case .undo: try undo()
        case .redo: try redo()
        case .rollback: try rollback()
        case .new, .rename, .add, .move, .remove, .delete, .deleteSong: try edit(invocation)
        case .watch, .shell, .tour, nil: throw UsageError("No command. Try: playlists --help")
        }
    }

    /// Waits until the indexes of the library are complete: after an update of the program, for
    /// example. Without them, commands look at every song.
    func buildIndexes() {
        do { try store.indexes.build() } catch { console.complain(error) }
    }

    /// Saves, unless a shell decides when. Another program may have saved meanwhile. The store of a file is
    /// saved also for the shell, so that a crash loses nothing; the shell decides when the file is.
    func saveUnlessShell() throws {
        if !isShell || file != nil { try store.save(onConflict: .merge) }
        if !isShell { try file?.save() }
    }

    /// Whether there is something to save.
    var isEdited: Bool { file?.isEdited ?? store.hasChanges }

    /// Saves all there is, into the file too.
    func saveAll() throws {
        // An import may have changed the same songs meanwhile.
        try store.save(onConflict: .merge)
        if let file, file.isEdited { try file.save() }
    }

    /// Goes back to the last save: of the file, if there is one.
    func revert() throws {
        guard let file, file.isEdited else { return store.rollback() }
        try file.revert()
        library = Library(file.store)
        store.undoHistory.survivesRelaunch = true
    }

    /// What was not saved into the file stays in the file's store, and is there at the next start.
    func close() throws {
        if let file { try file.close() } else { try store.close() }
    }

    /// Says what an earlier run has left.
    func offerUnsavedEdits() {
        guard let file else { return }
        if let edits = file.unsavedEdits {
            let state =
                switch edits.file {
                case .unchanged: ""
                case .changed: " Another program has changed the file since."
                case .missing: " The file is gone."
                }
            console.say(
                "Edits that were not saved into the file are back.\(state) \"save\" in the shell keeps "
                    + "them, \"rollback\" drops them.")
        }
        for finding in file.damage { console.say("Not all could be read: \(finding)") }
    }
}

func quoted(_ title: String) -> String { "\"\(title.printable)\"" }

/// `1 song`, `2 songs`.
func counted(_ count: Int, _ noun: String) -> String {
    "\(count) \(noun)\(count == 1 ? "" : "s")"
}
