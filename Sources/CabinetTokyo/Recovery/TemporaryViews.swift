import CLibrary
import CabinetBackend

/// A directory for the views of a store that may not be changed; it goes with its user.
///
/// `Sendable`: nothing in it changes before the end.
final class TemporaryViews: Sendable {
    private let files: any FileLayer
    private let process = ProcessMark()
    let directory: String

    init(files: any FileLayer) throws(BackendError) {
        self.files = files
        let base = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        directory =
            base + "/cabinet-\(getpid())-" + String(UInt64.random(in: 0...UInt64.max), radix: 16)
        try files.makeDirectory(directory)
    }

    deinit {
        guard process.isCurrent else { return }
        for name in (try? files.list(directory)) ?? [] { try? files.remove(directory + "/" + name) }
        try? files.removeDirectory(directory)
    }

    func path(of table: TableNumber) -> String { directory + "/\(table)" }
}
