import CabinetBackend

/// A file layer that changes no file below a directory once another one, or none, is at its path: what is
/// there then belongs to another store, or to another process that found no lock file.
///
/// The directory is known by its lock file, which is open: the inode of a directory that was removed may be
/// given to the next one.
final class PlacedFiles: LayeredFiles {
    package let below: any FileLayer
    private let root: String
    private let lock: String
    private let held = Guarded<FileIdentity?>(nil)

    /// - Parameters:
    ///   - root: the directory.
    ///   - lock: the path of its lock file.
    init(_ files: any FileLayer, root: String, lock: String) {
        below = files
        (self.root, self.lock) = (root, lock)
    }

    /// From now on the directory is the one with this lock file.
    func hold(_ lock: FileIdentity) { held.withLock { $0 = lock } }

    package func checkPlace() throws(BackendError) {
        guard let held = held.withLock({ $0 }) else { return }
        guard try below.status(of: lock)?.identity == held else {
            throw .replaced(path: root)
        }
    }

    private func check(_ path: String) throws(BackendError) {
        if path.hasPrefix(root) { try checkPlace() }
    }

    package func open(_ path: String, for use: FileUse) throws(BackendError) -> OpenFile {
        if use != .reading { try check(path) }
        return try below.open(path, for: use)
    }

    package func prepareLibrary(toOpen path: String) throws(BackendError) {
        try check(path)
        try below.prepareLibrary(toOpen: path)
    }

    package func rename(_ path: String, to newPath: String) throws(BackendError) {
        try check(newPath)
        try below.rename(path, to: newPath)
    }

    package func remove(_ path: String) throws(BackendError) {
        try check(path)
        try below.remove(path)
    }

    @discardableResult
    package func makeDirectory(_ path: String) throws(BackendError) -> Bool {
        try check(path)
        return try below.makeDirectory(path)
    }
}
