import CabinetBackend

/// The directories that an opening has made: one that fails leaves none behind.
struct MadeDirectories {
    private let files: any FileLayer
    /// In the order in which they were made.
    private(set) var paths: [String] = []

    init(files: any FileLayer) { self.files = files }

    /// Makes a directory, and takes note of it if it was not there.
    mutating func make(_ path: String) throws(BackendError) {
        if try files.makeDirectory(path) { paths.append(path) }
    }

    /// Removes the file at `path` if its `directory` was made here.
    func removeFile(_ path: String, in directory: String) throws(BackendError) {
        if paths.contains(directory) { try files.remove(path) }
    }

    /// Removes those of the directories that are empty, the one made last first. One that stays
    /// does no harm.
    func remove() {
        for path in paths.reversed() { try? files.removeDirectory(path) }
    }
}
