import CLibrary
import CabinetBackend

/// All working directories of one user, side by side in one directory.
///
/// Each is locked as long as a store file is open in it. What is done to several, or depends on what
/// others are of, is done under the lock of the directory above them, for a moment. `Sendable`: a value.
package struct WorkingDirectories: Sendable {
    let files: any FileLayer
    package let path: String

    package init(_ path: String, files: any FileLayer) {
        var path = path
        while path.count > 1, path.hasSuffix("/") { path.removeLast() }
        self.path = path
        self.files = files
    }

    /// One of the directories, as its record says.
    struct Entry {
        var path: String
        /// `nil`: it has none, so it is being made or removed.
        var record: WorkingRecord?
        /// Whether its record cannot be read, as it is damaged or of a newer format, and stands as one of no file:
        /// this program does not touch the directory.
        var isDamaged = false
    }

    /// Calls `body` while no other user looks for directories, makes or removes them.
    /// - Throws: ``BackendError/busy(path:holder:)`` if the lock is not free for 10 seconds.
    func withLock<Result>(_ body: () throws -> Result) throws -> Result {
        try files.makeDirectories(path)
        let file = try files.open(path + "/Lock", for: .creating)
        for _ in 0..<Self.patience {
            if try files.lock(file, exclusively: true) {
                let hold = LockedFile(file)
                defer { hold.unlock() }
                return try body()
            }
            usleep(Self.pause)
        }
        throw BackendError.busy(path: path, holder: "")
    }

    private static let patience = 5_000
    private static let pause: UInt32 = 2_000

    /// Those that are of store files: a directory of another program's, which may have a name of the same form, is
    /// none. One whose record cannot be read stays, as the store beside it may hold what no file has.
    /// - Throws: what listing and reading throw.
    func entries() throws(BackendError) -> [Entry] {
        guard try files.status(of: path) != nil else { return [] }
        var entries: [Entry] = []
        for name in try files.list(path) where StorePaths.number(in: name, after: "") != nil {
            let inner = path + "/" + name
            guard try files.status(of: inner)?.isDirectory == true else { continue }
            var entry = Entry(path: inner, record: try Self.record(in: inner, files))
            if entry.record == nil {
                let names = try files.list(inner)
                guard names.contains("Record") || names.allSatisfy(WorkingDirectory.isOwn) else {
                    continue
                }
                if names.contains("Record") {
                    (entry.record, entry.isDamaged) = (WorkingRecord(path: ""), true)
                }
            }
            entries.append(entry)
        }
        return entries
    }

    /// The paths of the files that are open, or of which something was left, in any order.
    package var paths: [String] {
        get throws(BackendError) {
            try entries().compactMap { $0.record?.path }.filter { !$0.isEmpty }
        }
    }

    /// What programs that have ended have left: the working directories, and the paths of the files that they are of,
    /// empty for documents that have none.
    package func left() throws -> [(directory: String, file: String)] {
        try withLock {
            try entries().filter { entry in
                guard !entry.isDamaged, entry.record?.isTransient == false else { return false }
                guard let own = try WorkingDirectory(locking: entry.path, files: files) else {
                    return false
                }
                own.unlock()
                return true
            }.map { ($0.path, $0.record?.path ?? "") }
        }
    }

    /// `nil`: there is none, or none that this program reads.
    private static func record(
        in path: String, _ files: any FileLayer
    ) throws(BackendError) -> WorkingRecord? {
        do throws(BackendError) {
            return try WorkingDirectory.record(in: path, files)
        } catch .newerFormat {
            return nil
        } catch {
            throw error
        }
    }

    /// Makes a directory and locks it; under the lock.
    func make() throws(BackendError) -> WorkingDirectory {
        while true {
            let inner = path + "/" + WorkingDirectory.hex(UInt64.random(in: 1...UInt64.max))
            guard try files.makeDirectory(inner) else { continue }
            try files.syncDirectory(path)
            if let made = try WorkingDirectory(locking: inner, files: files) { return made }
            throw .busy(path: inner, holder: "")
        }
    }

    /// Removes directories without a record, and those that are not to outlive their process; under the
    /// lock. What cannot be removed stays for the next call.
    func sweep(_ entries: [Entry]) {
        for entry in entries where entry.record?.isTransient ?? true {
            guard let left = try? WorkingDirectory(locking: entry.path, files: files) else {
                continue
            }
            try? left.remove()
        }
    }
}
