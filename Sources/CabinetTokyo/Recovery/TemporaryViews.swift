import CLibrary
import CabinetBackend

/// A directory for the views of a store that may not be changed, or that another process writes; it
/// goes with its user.
///
/// `Sendable`: nothing in it changes before the end.
final class TemporaryViews: Sendable {
    private let files: any FileLayer
    private let process = ProcessMark()
    let directory: String

    /// Makes the directory.
    convenience init(files: any FileLayer) throws(BackendError) {
        self.init(at: files)
        try make()
    }

    /// A directory that is not there yet.
    init(at files: any FileLayer) {
        self.files = files
        let base = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        directory =
            base + "/cabinet-\(getpid())-" + String(UInt64.random(in: 0...UInt64.max), radix: 16)
    }

    /// Makes the directory, if it is not there.
    func make() throws(BackendError) { try files.makeDirectory(directory) }

    deinit {
        guard process.isCurrent, (try? files.status(of: directory)) ?? nil != nil else { return }
        try? removeAll()
        try? files.removeDirectory(directory)
    }

    /// Removes all files, and the directories, which hold only files.
    func removeAll() throws(BackendError) {
        for name in try files.list(directory) {
            let path = directory + "/" + name
            guard try files.status(of: path)?.isDirectory == true else {
                try files.remove(path)
                continue
            }
            for inner in try files.list(path) { try files.remove(path + "/" + inner) }
            try files.removeDirectory(path)
        }
    }

    func path(of table: TableNumber) -> String { directory + "/\(table)" }
}
