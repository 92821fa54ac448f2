import CLibrary
import CabinetBackend

/// Holds a store's directory for one user: against other processes by a lock of the system, and
/// against a second store in this process by its own list.
///
/// `Sendable` because only its deinitialiser changes anything.
final class StoreLock: Sendable {
    private let file: LockedFile
    /// The lock of a writer beside readers; of a reader, until it has opened the views.
    private let directory: Guarded<LockedFile?>
    /// Whether other processes may be reading the views where they are, so that this process, which
    /// writes, must put others in their place.
    let isBesideReaders: Bool
    private let identity: Identity

    private struct Identity: Equatable, Sendable {
        var device: UInt64
        var inode: UInt64
        /// A forked process has a copy of the list, but uses none of these directories.
        var process = ProcessMark()
    }

    /// The directories that this process uses, few. Not a set: opening looks up no conformance.
    private static let used = Guarded<[Identity]>([])

    /// The holder, where it is a store of this process.
    static let thisProcess = "this process"

    /// Takes the lock at `path`: the store's lock file, or the directory itself where there is
    /// none, as in BNRPersistence's.
    /// - Throws: ``BackendError/busy(path:holder:)``.
    init(
        root: String, path: String, exclusive: Bool, files: any FileLayer
    ) throws(BackendError) {
        guard let status = try files.status(of: root) else {
            throw .system(operation: "open", path: root, code: ENOENT)
        }
        let identity = Identity(device: status.device, inode: status.inode)
        let isFree = Self.used.withLock { used in
            if used.contains(identity) { return false }
            used.append(identity)
            return true
        }
        guard isFree else { throw .busy(path: root, holder: Self.thisProcess) }
        do throws(BackendError) {
            let held = try Self.hold(root, path, exclusive, files)
            file = held.file
            directory = Guarded(held.directory)
            isBesideReaders = exclusive && held.directory != nil
        } catch {
            Self.forget(identity)
            throw error
        }
        self.identity = identity
    }

    /// The file that is locked.
    func file(in files: any FileLayer) throws(BackendError) -> FileIdentity {
        try files.status(of: file.file).identity
    }

    /// The views are open: a writer may come.
    func endOpening() {
        if !isBesideReaders { directory.withLock { $0 = nil } }
    }

    /// A reader shares the lock file, and while it opens the views, the directory of the log, too. A
    /// writer locks the file, or, where only readers have it, shares it with them and locks the
    /// directory.
    private static func hold(
        _ root: String, _ path: String, _ exclusive: Bool, _ files: any FileLayer
    ) throws(BackendError) -> (file: LockedFile, directory: LockedFile?) {
        guard let slash = path.lastIndex(of: "/"), try files.status(of: path)?.isDirectory == false
        else { return (try lock(root, path, exclusive, files), nil) }
        let log = String(path[..<slash])
        guard exclusive else {
            let file = try lock(root, path, false, files)
            return (file, try lock(root, log, false, files))
        }
        let failure: BackendError
        do throws(BackendError) {
            return (try lock(root, path, true, files), nil)
        } catch {
            guard case .busy = error else { throw error }
            failure = error
        }
        let file = try files.open(path, for: .writing)
        guard try files.lock(file, exclusively: false) else { throw failure }
        let shared = LockedFile(file)
        for _ in 0..<patience {
            do throws(BackendError) {
                let directory = try lock(root, log, true, files)
                try sign(file, files)
                return (shared, directory)
            } catch {
                guard case .busy = error else { throw error }
                usleep(pause)
            }
        }
        throw failure
    }

    /// So often a writer looks whether readers have opened the views by now, and so many
    /// microseconds it waits in between: 0.5 s in all.
    private static let patience = 100
    private static let pause: UInt32 = 5_000

    deinit {
        guard identity.process.isCurrent else { return }
        // First, as another thread may come the moment after.
        directory.withLock { $0?.unlock() }
        file.unlock()
        Self.forget(identity)
    }

    private static func forget(_ identity: Identity) {
        used.withLock { used in used.removeAll { $0 == identity } }
    }

    /// Opens and locks the file, or directory, at `path`.
    static func lock(
        _ root: String, _ path: String, _ exclusive: Bool, _ files: any FileLayer
    ) throws(BackendError) -> LockedFile {
        let status = try files.status(of: path)
        let isDirectory = status?.isDirectory ?? false
        let file = try files.open(path, for: exclusive && !isDirectory ? .creating : .reading)
        guard try files.lock(file, exclusively: exclusive) else {
            throw .busy(path: root, holder: isDirectory ? "" : holder(file, files))
        }
        let locked = LockedFile(file)
        guard exclusive, !isDirectory else { return locked }
        do throws(BackendError) {
            try sign(file, files)
        } catch {
            if status == nil { try? files.remove(path) }
            throw error
        }
        return locked
    }

    private static func holder(_ file: OpenFile, _ files: any FileLayer) -> String {
        var bytes = [UInt8](repeating: 0, count: 256)
        let count = bytes.withUnsafeMutableBytes { try? files.read(file, at: 0, into: $0) } ?? 0
        return String(decoding: bytes.prefix(count).prefix { $0 != 0x0A }, as: UTF8.self)
    }

    /// Writes the process that holds the lock, for the message that other processes get.
    private static func sign(_ file: OpenFile, _ files: any FileLayer) throws(BackendError) {
        let program = CommandLine.arguments.first?.split(separator: "/").last ?? "a program"
        let text = Array("process \(getpid()) (\(program))\n".utf8)
        // In place: truncating the file first would free its block and allocate another.
        try files.write(text, to: file, at: 0)
        if try files.size(of: file) > UInt64(text.count) {
            try files.truncate(file, to: UInt64(text.count))
        }
    }
}

/// A file that this process has locked, until the last reference to it goes.
///
/// It is not left to closing: a child process that is just being started has a copy of every open
/// descriptor until it runs its program, and would hold the lock for that moment; one that was
/// forked, for as long as it runs.
final class LockedFile: Sendable {
    fileprivate let file: OpenFile
    private let process = ProcessMark()

    /// - Parameter file: has been locked.
    init(_ file: OpenFile) { self.file = file }

    /// Lifts the lock, unless this process was forked from the one that took it: the lock is held
    /// through every copy of the descriptor, so to lift it through one would lift it for all.
    func unlock() {
        if process.isCurrent { _ = flock(file.descriptor, LOCK_UN) }
    }

    deinit { unlock() }
}
