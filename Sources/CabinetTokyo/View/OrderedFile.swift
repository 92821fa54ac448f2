import CTokyoCabinet
import CabinetBackend

/// A B+ tree file of Tokyo Cabinet. Not `Sendable`: the engine's lock guards it, and its own lock
/// the reads, which move the library's cache about.
///
/// Changed leaves stay in that cache, so the file is busy from its first change until
/// ``reconcile(_:)``. The library opens a file once in a process, so between reading and writing it
/// is closed for a moment; if it cannot be opened again then, ``isOpen`` is `false`.
final class OrderedFile {
    private(set) var path: String
    /// Which file it is; under ``path`` there may be another one by now.
    let identity: FileIdentity
    /// Held for every read: reading moves the library's cache about.
    let cacheLock = Lock()
    private let files: any FileLayer
    private let process = ProcessMark()
    /// `nil`: it could not be opened again.
    private(set) var handle: UnsafeMutablePointer<TCBDB>?
    private var file: OpenFile?
    private(set) var reserved: UInt64 = 0
    /// What the changes since the last flush may yet need room for.
    private var owed = Changes()
    /// The commit that the file's mark tells of; `nil` while it has none.
    private var marked: CommitNumber?

    private static let leafMembers: Int32 = 128
    private static let nodeMembers: Int32 = 256
    private static let cachedLeaves: Int32 = 4096
    private static let cachedNodes: Int32 = 1024

    /// Opens the file at `path` for reading. `nil`: there is none, or none that could be read.
    /// - Throws: as ``FileMap/reading(_:_:)``.
    init?(reading path: String, files: any FileLayer) throws(BackendError) {
        guard let map = try FileMap.reading(path, files),
            let image = HashImage(base: map.base, size: map.size), image.isTree,
            let handle = Self.open(path, map.identity, files, mode: BDBOREADER)
        else { return nil }
        self.path = path
        self.files = files
        self.handle = handle
        identity = map.identity
        marked = mark?.applied
    }

    /// Makes an empty file at `path` for about `count` keys.
    init(
        making path: String, count: UInt64, files: any FileLayer
    ) throws(BackendError) {
        let file = try files.open(path, for: .replacing)
        identity = try files.status(of: file).identity
        guard
            let handle = Self.open(
                path, identity, count: count, files, mode: BDBOWRITER | BDBOCREAT)
        else {
            // The library does not say what it lacked; if that was room, this does.
            try files.reserve(file, upTo: 64 << 10)
            throw .viewUnavailable(path: path, cause: "it could not be made")
        }
        self.path = path
        self.files = files
        self.handle = handle
        self.file = file
    }

    deinit {
        // In a forked process the library would write its cache to the parent's file.
        guard process.isCurrent else { return }
        closeHandle()
    }

    /// `nil`: the library refuses, or another file has the name.
    private static func open(
        _ path: String, _ identity: FileIdentity, count: UInt64? = nil, size: UInt64 = 0,
        _ files: any FileLayer, mode: Int
    ) -> UnsafeMutablePointer<TCBDB>? {
        guard (try? files.prepareLibrary(toOpen: path)) != nil else { return nil }
        for room in [max(size &* 4, files.leastMap), size &+ (64 << 20)] {
            guard let handle = tcbdbnew() else { return nil }
            if let count {
                let buckets = Int64(clamping: max(count / 32, 1021))
                tcbdbtune(handle, leafMembers, nodeMembers, buckets, -1, -1, 0)
            }
            tcbdbsetcache(handle, cachedLeaves, cachedNodes)
            tcbdbsetxmsiz(handle, Int64(clamping: room))
            if tcbdbopen(handle, path, Int32(mode | BDBONOLCK)), let hash = handle.pointee.hdb {
                SystemCalls.keepFromChildren(hash.pointee.fd)
                if hash.pointee.inode == identity.inode { return handle }
                _ = LibraryClosing.close(handle)
                return nil
            }
            tcbdbdel(handle)
        }
        return nil
    }

    /// Whether it can be read. If not, it must be made anew.
    var isOpen: Bool { handle != nil }

    /// Whether the library has the file open for writing.
    var isWriting: Bool { file != nil }

    /// How many keys there are; 0 while it is not open.
    var count: UInt64 { handle.map { tcbdbrnum($0) } ?? 0 }

    private var hash: UnsafeMutablePointer<TCHDB>? { handle?.pointee.hdb }

    private var opaque: UnsafeMutableRawPointer? {
        hash.flatMap { hash in tchdbopaque(hash).map { UnsafeMutableRawPointer($0) + 64 } }
    }

    var mark: ViewMark? { opaque.flatMap { ViewMark(at: UnsafeRawPointer($0)) } }

    var size: UInt64 { hash?.pointee.fsiz ?? 0 }

    // MARK: Changing

    /// Lets the library open the file for writing, which changes it from now on. After a throw it
    /// is read as before, unless it is not open.
    func beginWriting(room: UInt64 = 0) throws(BackendError) {
        guard !isWriting else { return }
        try files.remove(path + ".wal")
        let file = try files.open(path, for: .writing)
        guard try files.status(of: file).identity == identity else {
            throw .viewUnavailable(path: path, cause: HashFile.Refusal.another.message)
        }
        let size = self.size
        closeHandle()
        handle = Self.open(path, identity, size: max(size, room), files, mode: BDBOWRITER)
        guard isOpen else {
            handle = Self.open(path, identity, files, mode: BDBOREADER)
            throw .viewUnavailable(path: path, cause: "it could not be opened for writing")
        }
        self.file = file
        reserved = size
    }

    /// Operations on keys, and the bytes of the keys and values that they put.
    struct Changes: Hashable {
        var operations: UInt64 = 0
        var bytes: UInt64 = 0
    }

    /// Sees that there is room on the disk for `changes`, beside those that are owed. After a
    /// throw they are not counted.
    func reserve(for changes: Changes) throws(BackendError) {
        guard let file else { return }
        var all = owed
        all.operations += changes.operations
        all.bytes += changes.bytes
        let needed = size + growth(all)
        if needed > reserved {
            let ample = needed + min(needed / 8, 64 << 20)
            do {
                try files.reserve(file, upTo: ample)
                reserved = ample
            } catch {
                guard case .diskFull = error else { throw error }
                try files.reserve(file, upTo: needed)
                reserved = needed
            }
            hash?.pointee.xfsiz = reserved
        }
        owed = all
    }

    /// The most bytes by which the file grows: each operation may touch a leaf of its own, which
    /// is split or moved, and its nodes; but all of them together only move what there is.
    private func growth(_ changes: Changes) -> UInt64 {
        changes.bytes * 4
            + min(changes.operations * 24_576, size * 2 + changes.operations * 64)
            + (256 << 10)
    }

    func setBusy() {
        if let opaque { ViewMark.setBusy(at: opaque) }
    }

    /// `false`: the file is not what it was, and must be rebuilt.
    func put(_ key: UnsafeRawBufferPointer, _ stored: UnsafeRawBufferPointer) -> Bool {
        guard let handle else { return false }
        return tcbdbput(
            handle, key.baseAddress ?? Nowhere.address, Int32(truncatingIfNeeded: key.count),
            stored.baseAddress ?? Nowhere.address, Int32(truncatingIfNeeded: stored.count))
    }

    /// Removes the key, which need not be there.
    func delete(_ key: UnsafeRawBufferPointer) -> Bool {
        guard let handle else { return false }
        return tcbdbout(
            handle, key.baseAddress ?? Nowhere.address, Int32(truncatingIfNeeded: key.count))
            || tcbdbecode(handle) == Int32(TCENOREC)
    }

    /// Brings the cache into the file and clears the busy mark.
    /// - Throws: ``BackendError/viewUnavailable(path:cause:)`` also if another program has put
    ///   something else into the file.
    func flush(_ mark: ViewMark) throws(BackendError) {
        guard isWriting, let handle, let opaque else { return }
        guard self.mark?.applied == marked else {
            throw .viewUnavailable(path: path, cause: "another program has changed it")
        }
        guard tcbdbmemsync(handle, false) else {
            throw .viewUnavailable(path: path, cause: "its cache could not be written")
        }
        mark.write(at: opaque)
        marked = mark.applied
        owed = Changes()
    }

    // MARK: Closing

    /// Closes the file, which must be flushed, and opens it for reading again. After a throw it is
    /// read as before, unless it is not open.
    func endWriting() throws(BackendError) {
        guard let file else { return }
        do {
            try files.truncate(file, to: size)
        } catch {
            // The room may be gone all the same, and a store to a page without any is fatal.
            reserved = size
            hash?.pointee.xfsiz = size
            throw error
        }
        let isClosed = closeHandle()
        if isClosed { handle = Self.open(path, identity, files, mode: BDBOREADER) }
        guard isOpen else {
            throw .viewUnavailable(path: path, cause: "it could not be closed")
        }
    }

    /// Brings a file that is not open for writing to the device, and says what it is, for a later
    /// opening to compare.
    /// - Throws: ``BackendError/viewUnavailable(path:cause:)`` also if another file has its name.
    func seal() throws(BackendError) -> ViewSeal {
        let file = try files.open(path, for: .writing)
        guard let map = try files.map(file, upTo: .max), map.identity == identity else {
            throw .viewUnavailable(path: path, cause: HashFile.Refusal.another.message)
        }
        try files.sync(file)
        let sum = map.size <= ViewSeal.largestSummed ? map.bytes.checksum() : nil
        return ViewSeal(size: map.size, count: count, sum: sum)
    }

    /// Gives the file, which must not be open for writing, another name. After a throw it has its
    /// old one, or is not open.
    func move(to newPath: String) throws(BackendError) {
        closeHandle()
        var failure: BackendError?
        do throws(BackendError) {
            try files.rename(path, to: newPath)
            path = newPath
        } catch {
            failure = error
        }
        handle = Self.open(path, identity, files, mode: BDBOREADER)
        if let failure { throw failure }
        guard isOpen else {
            throw .viewUnavailable(path: path, cause: "it could not be opened under its name")
        }
    }

    @discardableResult
    private func closeHandle() -> Bool {
        file = nil
        reserved = 0
        guard let handle else { return false }
        self.handle = nil
        return LibraryClosing.close(handle)
    }
}
