import CLibrary
import CabinetBackend

/// The directory of a store file's store: while the file is open, and as long as the store holds what the
/// file has not.
///
/// | name | |
/// |---|---|
/// | `Record` | ``WorkingRecord`` |
/// | `Store-` and the generation in 16 hexadecimal digits | the store |
/// | `Content` | a snapshot that is being saved |
///
/// `Sendable`: only the lock is held on to, and its user guards the record.
final class WorkingDirectory: Sendable {
    let files: any FileLayer
    let path: String
    private let hold: LockedFile

    /// Locks the directory at `path`. `nil`: another user has it, or it is gone.
    init?(locking path: String, files: any FileLayer) throws(BackendError) {
        let file: OpenFile
        do throws(BackendError) {
            file = try files.open(path, for: .reading)
        } catch .system(_, _, ENOENT) {
            return nil
        } catch {
            throw error
        }
        guard try files.lock(file, exclusively: true) else { return nil }
        hold = LockedFile(file)
        self.files = files
        self.path = path
    }

    /// Lets others use the directory.
    func unlock() { hold.unlock() }

    private var recordPath: String { path + "/Record" }
    var contentPath: String { path + "/Content" }

    func store(_ generation: UInt64) -> String { path + "/Store-" + Self.hex(generation) }

    /// The name of an unfinished file beside the one that it is to replace; no other directory has it.
    var asideName: String { ".cabinet-" + (path.split(separator: "/").last ?? "") + ".new" }

    /// Whether something of that name is a part of such a directory.
    static func isOwn(_ name: String) -> Bool {
        ["Record", "Record.new", "Content", "Damaged"].contains(name) || name.hasPrefix("Store-")
    }

    /// `nil`: there is none, or it is damaged.
    static func record(in path: String, _ files: any FileLayer) throws(BackendError)
        -> WorkingRecord?
    {
        let path = path + "/Record"
        guard let status = try files.status(of: path), status.isFile, status.size < 1 << 20 else {
            return nil
        }
        do throws(BackendError) {
            let file = try files.open(path, for: .reading)
            let bytes = try files.readBytes(Int(try files.size(of: file)), from: file, at: 0)
            return try WorkingRecord(bytes, path: path)
        } catch .system(_, _, ENOENT) {
            return nil
        } catch {
            throw error
        }
    }

    /// Puts `record` in the place of the one that is there, and returns when it is on the device.
    func write(_ record: WorkingRecord) throws(BackendError) {
        let aside = recordPath + ".new"
        let file = try files.open(aside, for: .replacing)
        try files.write(record.encoded(), to: file, at: 0)
        try files.sync(file)
        try files.rename(aside, to: recordPath)
        try files.syncDirectory(path)
    }

    /// Removes what `record` does not name: other generations, and files that were never finished.
    func sweep(_ record: WorkingRecord) throws(BackendError) {
        for name in try files.list(path) {
            let inner = path + "/" + name
            if inner == recordPath || inner == store(record.generation) { continue }
            try files.removeTree(inner)
        }
        for directory in [record.aside, Self.directory(of: record.path)] where !directory.isEmpty {
            // It may be gone, with its volume, or not be this user's any more. A package may be new.
            for place in [directory, Self.directory(of: directory)] {
                try? files.removeTree(place + "/" + asideName)
            }
        }
    }

    /// Removes the directory with all that is in it, the record first.
    func remove() throws(BackendError) {
        try files.remove(recordPath)
        try files.syncDirectory(path)
        try files.removeTree(path)
    }

    static func directory(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return path.isEmpty ? "" : "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    static func hex(_ number: UInt64) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}

extension FileLayer {
    /// Removes a file, or a directory with all that is in it; one that is not there is no mistake.
    func removeTree(_ path: String) throws(BackendError) {
        guard let status = try status(of: path) else { return }
        guard status.isDirectory else { return try remove(path) }
        for name in try list(path) { try removeTree(path + "/" + name) }
        try removeDirectory(path)
    }

    /// Makes a directory and those above it.
    func makeDirectories(_ path: String) throws(BackendError) {
        if try status(of: path) != nil { return }
        let above = WorkingDirectory.directory(of: path)
        if above != path { try makeDirectories(above) }
        try makeDirectory(path)
        try syncDirectory(above)
    }
}
