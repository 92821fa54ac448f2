import CLibrary
import CabinetBackend

/// A directory for the views of a store that may not be changed, or that another process writes; it
/// goes with its user.
///
/// It is locked while it is used. Where a killed process has left one, ``sweep(_:below:log:)`` finds
/// it without a lock.
final class TemporaryViews: Sendable {
    private let files: any FileLayer
    private let process = ProcessMark()
    /// What this user's directories of this kind are in.
    private let parent: String
    let directory: String
    private let hold = Guarded<LockedFile?>(nil)

    /// Makes the directory.
    convenience init(files: any FileLayer) throws(BackendError) {
        self.init(at: files)
        try make()
    }

    /// A directory that is not there yet.
    init(at files: any FileLayer, below base: String = TemporaryViews.base) {
        self.files = files
        parent = Self.parent(in: base)
        let number = String(UInt64.random(in: 0...UInt64.max), radix: 16)
        directory =
            parent + "/" + Self.prefix + String(repeating: "0", count: 16 - number.count) + number
    }

    /// The system's directory for temporary files.
    static var base: String {
        let base = getenv("TMPDIR").map { String(cString: $0) } ?? ""
        return base.isEmpty ? "/tmp" : base
    }

    private static let prefix = "views-"

    private static func isName(_ name: String) -> Bool {
        name.hasPrefix(prefix) && name.utf8.count == prefix.utf8.count + 16
            && name.dropFirst(prefix.count).allSatisfy { $0.isHexDigit && !$0.isUppercase }
    }

    private static func parent(in base: String) -> String { base + "/cabinet-\(geteuid())" }

    /// So often the directory is made again that another process removes at the same time: until it
    /// is locked, it looks as if it were left over.
    private static let patience = 1000

    /// Makes the directory, if it is not there.
    func make() throws(BackendError) {
        try hold.withLock { hold throws(BackendError) in
            guard hold == nil else { return }
            for _ in 0..<Self.patience {
                do throws(BackendError) {
                    try files.makeDirectory(parent)
                    try Self.checkIsPrivate(parent, files)
                    try files.makeDirectory(directory)
                    let file = try files.open(directory, for: .reading)
                    if try files.lock(file, exclusively: true) {
                        hold = LockedFile(file)
                        return
                    }
                } catch {
                    guard case .system(_, _, ENOENT) = error else { throw error }
                }
            }
            throw .busy(path: directory, holder: "")
        }
    }

    /// Sees that no other user can put something into the directory that only this one should use.
    private static func checkIsPrivate(
        _ parent: String, _ files: any FileLayer
    ) throws(BackendError) {
        guard let status = try files.status(of: parent) else { return }
        guard status.isDirectory, status.isPrivate else { throw .accessDenied(path: parent) }
    }

    deinit {
        guard process.isCurrent, hold.withLock({ $0 != nil }) else { return }
        try? Self.remove(directory, files)
        hold.withLock { $0 = nil }
        try? files.removeDirectory(parent)
    }

    /// Removes all files, and the directories, which hold only files.
    func removeAll() throws(BackendError) { try Self.removeAll(in: directory, files) }

    func path(of table: TableNumber) -> String { directory + "/\(table)" }

    private static func removeAll(
        in directory: String, _ files: any FileLayer
    ) throws(BackendError) {
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

    private static func remove(
        _ directory: String, _ files: any FileLayer
    ) throws(BackendError) {
        try removeAll(in: directory, files)
        try files.removeDirectory(directory)
    }

    // MARK: What was left

    /// Removes the directories that no living process holds: their processes were killed. Nothing
    /// else is removed, and what cannot be removed stays for the next call.
    ///
    /// Costs one call of the system where there are none.
    static func sweep(
        _ files: any FileLayer, below base: String = TemporaryViews.base, log: LogSink
    ) {
        let parent = parent(in: base)
        do throws(BackendError) {
            guard let status = try files.status(of: parent), status.isDirectory, status.isPrivate
            else { return }
            for name in try files.list(parent) where isName(name) {
                try sweep(parent + "/" + name, files, log)
            }
        } catch {
            log(.notice, "\(parent) may hold what killed processes have left: \(error)")
        }
        // Only if nothing is in it.
        try? files.removeDirectory(parent)
    }

    private static func sweep(
        _ directory: String, _ files: any FileLayer, _ log: LogSink
    ) throws(BackendError) {
        do throws(BackendError) {
            guard let status = try files.status(of: directory), status.isDirectory else { return }
            let file = try files.open(directory, for: .reading)
            guard try files.lock(file, exclusively: true) else { return }
            let hold = LockedFile(file)
            try remove(directory, files)
            withExtendedLifetime(hold) {}
            log(.notice, "Removed \(directory), which a killed process had left.")
        } catch {
            // Its user, or another process that opens a store, has removed it meanwhile.
            guard case .system(_, _, ENOENT) = error else { throw error }
        }
    }
}
