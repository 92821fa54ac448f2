import CabinetBackend

// Whether the file under a view's name is the one that is in use, by device, inode and mark. Sync tools and
// editors replace a file by a copy. No later opening finds what is written to the old file after that, so
// views are looked at when they are opened for writing, sealed or closed, and a strange one is rebuilt from
// the log and reported.
extension Table {
    /// What another program did to a view file that is in use.
    struct Strangeness: Hashable {
        var reason: String
        /// Whether the file that is in use still holds what the table holds.
        var isContentRight = true

        static let removed = Strangeness(
            reason: "it was renamed or removed while it was in use")
        static let replaced = Strangeness(
            reason: "another file was put in its place while it was in use")
        static let cut = Strangeness(
            reason: "another program has cut it while it was in use", isContentRight: false)
        static let changed = Strangeness(
            reason: "another program has changed it while it was in use", isContentRight: false)
    }

    /// Whether the file with the view's name is another than the one in use, or another program has
    /// changed that; `nil` if all is well. One look at the file system for each
    /// file. A view that is unavailable is no other.
    ///
    /// - Parameter store: the store's number; `nil`: what the file says of itself is not compared.
    func strangeness(
        in store: UInt64?, _ files: any FileLayer
    ) throws(BackendError) -> Strangeness? {
        let (identity, size): (FileIdentity, UInt64)
        switch view {
        case .hash(let file): (identity, size) = (file.identity, file.image.end)
        case .ordered(let view): return try strangeness(of: view, files)
        case .unavailable: return nil
        }
        guard let status = try files.status(of: view.path) else { return .removed }
        guard status.identity == identity else { return .replaced }
        // What is mapped behind the end of a file must not be looked at.
        guard status.size >= size else { return .cut }
        guard let store else { return nil }
        switch view {
        case .hash(let file):
            return isOurs(file.mark, store) && file.isHeaderCurrent ? nil : .changed
        case .ordered, .unavailable: return nil
        }
    }

    /// Runs are never changed; what matters is whether they are still there.
    private func strangeness(
        of view: OrderedView, _ files: any FileLayer
    ) throws(BackendError) -> Strangeness? {
        for layer in view.layers {
            let identity: FileIdentity
            switch layer.content {
            case .run(let run): identity = run.identityOfFile
            case .pending(let run): identity = run.identityOfFile
            case .delta: continue
            }
            guard let path = layer.path else { continue }
            guard let status = try files.status(of: path) else { return .removed }
            guard status.identity == identity else { return .replaced }
            guard status.size >= layer.content.fileSize else { return .cut }
        }
        return nil
    }

    /// Whether that is the mark that the table's last commit has left.
    private func isOurs(_ mark: ViewMark?, _ store: UInt64) -> Bool {
        guard let mark else { return false }
        return mark.store == store && mark.table == number && mark.kind == kind.rawValue
            && mark.applied == lastCommit && !mark.isBusy
    }
}
