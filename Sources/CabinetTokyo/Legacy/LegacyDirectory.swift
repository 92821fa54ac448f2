import CabinetBackend

/// A directory as the ancestor left it: hash files, no `Journal/`.
struct LegacyDirectory {
    init?(files: any FileLayer, paths: StorePaths) throws(BackendError) { return nil }
    func open(_ opening: Opening) throws(BackendError) -> Opening.Opened {
        throw .notAStore(path: opening.paths.root)
    }
}
