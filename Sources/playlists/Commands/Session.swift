import Cabinet

/// One open library, and the commands at work on it.
///
/// Outside of the shell every command saves what it changed. Not `Sendable`: it lives where its
/// store does.
final class Session {
    let library: Library
    let console: Console
    /// In the shell nothing is kept until `save`.
    let isShell: Bool
    /// Where a person's shell has files imported; `nil`: in this store.
    var imports: BackgroundImports?

    var store: Store { library.store }

    init(_ store: Store, on console: Console, isShell: Bool = false) {
        library = Library(store)
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
        case .rollback: rollback()
        case .new, .rename, .add, .move, .remove, .delete, .deleteSong: try edit(invocation)
        case .watch, .shell, .tour, nil: throw UsageError("No command. Try: playlists --help")
        }
    }

    /// Waits until the indexes of the library are complete: after an update of the program, for
    /// example. Without them, commands look at every song.
    func buildIndexes() {
        do { try store.indexes.build() } catch { console.complain(error) }
    }

    /// Saves, unless a shell decides when. Another program may have saved meanwhile.
    func saveUnlessShell() throws {
        if !isShell { try store.save(onConflict: .merge) }
    }
}

func quoted(_ title: String) -> String { "\"\(title.printable)\"" }

/// `1 song`, `2 songs`.
func counted(_ count: Int, _ noun: String) -> String {
    "\(count) \(noun)\(count == 1 ? "" : "s")"
}
