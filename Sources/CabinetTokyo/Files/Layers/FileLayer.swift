import CabinetBackend

/// Everything that the engine asks of the file system.
///
/// The one gate to it: what does not go through here cannot be recorded, made to fail or cut off
/// by a test. Only Tokyo Cabinet reaches around it, for the view files, which can be rebuilt, and
/// ``prepareLibrary(toOpen:)`` stands for its calls.
/// Errors are those of ``SystemFailure``. Safe to use from any thread.
package protocol FileLayer: AnyObject, Sendable {
    /// Opens the file at `path`. What is created may be read and written by its owner alone.
    /// Opening a pipe for reading does not wait for a writer.
    /// - Throws: ``BackendError/pathTaken(path:)`` for a symbolic link, which is not followed: it
    ///   may lead to a file that is not the store's.
    func open(_ path: String, for use: FileUse) throws(BackendError) -> OpenFile

    /// How many bytes the file has.
    func size(of file: OpenFile) throws(BackendError) -> UInt64

    /// What is open, whatever name it has by now.
    func status(of file: OpenFile) throws(BackendError) -> FileStatus

    /// Maps the first `size` bytes of the file for reading, or all of it if it is shorter. `nil`:
    /// it is empty, or no regular file. The map stays when the file is closed, renamed or removed.
    func map(_ file: OpenFile, upTo size: UInt64) throws(BackendError) -> FileMap?

    /// Called before Tokyo Cabinet opens and maps the view file at `path` by calls of its own. Does
    /// nothing; a test's layer throws what one of those calls is to report.
    func prepareLibrary(toOpen path: String) throws(BackendError)

    /// Fills `bytes` from `offset` on. Returns how many there were: fewer only at the end.
    func read(
        _ file: OpenFile, at offset: UInt64, into bytes: UnsafeMutableRawBufferPointer
    ) throws(BackendError) -> Int

    /// Writes all of `bytes` at `offset`. After a throw any part of them may have been written.
    func write(
        _ bytes: UnsafeRawBufferPointer, to file: OpenFile, at offset: UInt64
    ) throws(BackendError)

    /// Fills the bytes of `range`, which must be reserved, with zeros, and maps them for writing.
    /// `nil`: that failed, or the file system might refuse a store later; then some of the bytes
    /// may have been filled.
    func window(of file: OpenFile, _ range: Range<UInt64>) -> FileWindow?

    /// Writes `bytes`, which `window` must cover, by storing them where they are mapped, the first
    /// 8 bytes last. After a throw any part of them may have been written.
    func write(
        _ bytes: UnsafeRawBufferPointer, to window: FileWindow, at offset: UInt64
    ) throws(BackendError)

    /// Cuts the file, or extends it by zeros, to `size` bytes.
    func truncate(_ file: OpenFile, to size: UInt64) throws(BackendError)

    /// Reserves disk space for the first `size` bytes, so that writing there cannot fail for lack
    /// of it. A file that is shorter grows to `size`, by zeros.
    func reserve(_ file: OpenFile, upTo size: UInt64) throws(BackendError)

    /// Returns when what was written is on the device, with what is needed to read it back.
    /// After a throw it is unknown what is there, and a second call proves nothing.
    func sync(_ file: OpenFile) throws(BackendError)

    /// Lets the device begin to write what was written to the file at `path`, so that a sync to
    /// come takes less time. A hint: nothing is promised, waited for or reported.
    func beginWriteBack(_ path: String)

    /// Lets the system have back the memory in which it keeps the first `size` bytes of the file at
    /// `path`, as far as they are on the device, because they will not be read soon. A hint: a read
    /// all the same gets them from the device.
    func letGo(of path: String, upTo size: UInt64)

    /// Gives the file at `path` another name, replacing what has it. Durable once the directory
    /// is synced.
    func rename(_ path: String, to newPath: String) throws(BackendError)

    /// Removes a file; one that is not there is no mistake.
    func remove(_ path: String) throws(BackendError)

    /// Makes a directory for its owner alone. `false`: there was something already.
    @discardableResult
    func makeDirectory(_ path: String) throws(BackendError) -> Bool

    /// Removes an empty directory; one that is not there is no mistake.
    func removeDirectory(_ path: String) throws(BackendError)

    /// Returns when the names in the directory are on the device.
    func syncDirectory(_ path: String) throws(BackendError)

    /// The names in a directory, without `.` and `..`, in the order of their bytes.
    func list(_ path: String) throws(BackendError) -> [String]

    /// What is at `path`; `nil` if nothing is. A symbolic link is neither file nor directory.
    func status(of path: String) throws(BackendError) -> FileStatus?

    /// Lets those use the file at `newPath` who may use the one at `path`. A hint: a file of another owner stays
    /// private.
    func copyPermissions(of path: String, to newPath: String)

    /// Where `path` leads if it is a symbolic link; else `path`. For what users name: what is below
    /// it is used without following links.
    func resolved(_ path: String) -> String

    /// Locks the file for as long as it is open. `false`: another open file holds it.
    func lock(_ file: OpenFile, exclusively: Bool) throws(BackendError) -> Bool

    /// On what boot and what mounted device the directory at `path` is being used.
    func mountIdentity(of path: String) throws(BackendError) -> MountIdentity

    /// Whether what is written still goes where it did, of a layer that knows where that is.
    /// - Throws: ``BackendError/replaced(path:)``
    func checkPlace() throws(BackendError)

    /// What the bytes in files of a sealed store are sealed and opened by; `nil`: nothing is sealed. Whoever
    /// writes or reads a format asks for it: the layer itself passes bytes as they are.
    var sealer: (any Sealer)? { get }

    /// How many bytes of a view file that may grow are mapped at least. Address space costs
    /// nothing: 1 GiB.
    var leastMap: UInt64 { get }
}

extension FileLayer {
    package var leastMap: UInt64 { 1 << 30 }

    package var sealer: (any Sealer)? { nil }

    package func prepareLibrary(toOpen path: String) throws(BackendError) {}

    package func checkPlace() throws(BackendError) {}

    package func copyPermissions(of path: String, to newPath: String) {}

    package func resolved(_ path: String) -> String { path }

    package func beginWriteBack(_ path: String) {}

    package func letGo(of path: String, upTo size: UInt64) {}
}

/// How a file is opened.
package enum FileUse: Hashable, Sendable {
    /// For reading; it must be there.
    case reading
    /// For reading and writing; it must be there.
    case writing
    /// For reading and writing; made if it is not there.
    case creating
    /// For reading and writing, emptied; made if it is not there.
    case replacing
}

/// What is at a path.
package struct FileStatus: Hashable, Sendable {
    package var isDirectory: Bool
    /// Whether it is a regular file: no directory, pipe or device.
    package var isFile: Bool
    package var size: UInt64
    package var device: UInt64
    package var inode: UInt64
    /// Whether it belongs to this process's user, and no other user may use it.
    package var isPrivate: Bool
    /// Whether it still has a name.
    package var isNamed: Bool
    /// When its content was last changed, in nanoseconds since 1970-01-01 00:00 UTC; 0: not known.
    package var modified: UInt64

    package init(
        isDirectory: Bool, isFile: Bool? = nil, size: UInt64, device: UInt64, inode: UInt64,
        isPrivate: Bool = true, isNamed: Bool = true, modified: UInt64 = 0
    ) {
        self.isDirectory = isDirectory
        self.isFile = isFile ?? !isDirectory
        self.size = size
        self.device = device
        self.inode = inode
        self.isPrivate = isPrivate
        self.isNamed = isNamed
        self.modified = modified
    }

    var identity: FileIdentity { FileIdentity(device: device, inode: inode) }
}

/// Which file it is, whatever its name: no other has both numbers while this one is open or mapped.
package struct FileIdentity: Hashable, Sendable {
    var device: UInt64
    var inode: UInt64
}

/// A boot of the machine and a mount of a device, within which the page cache is what was last
/// written, whatever reached the device.
package struct MountIdentity: Hashable, Sendable {
    /// 36 bytes of text where the system gives it; empty where it does not, and then no two
    /// identities are known to be the same.
    package var boot: String
    package var device: UInt64
    /// 0 where the system does not tell one mount from the next, and then no two identities are
    /// known to be the same.
    package var mount: UInt64
    package var inode: UInt64

    /// Whether this is known to be the boot and the mount of `other`: a disk that was pulled and
    /// plugged in again may get the numbers that it had.
    package func isKnown(toBe other: MountIdentity) -> Bool {
        !boot.isEmpty && mount != 0 && self == other
    }

    package init(boot: String, device: UInt64, mount: UInt64, inode: UInt64) {
        self.boot = boot
        self.device = device
        self.mount = mount
        self.inode = inode
    }
}
