import CTokyoCabinet
import CabinetBackend

/// A B+ tree file of Tokyo Cabinet. Not `Sendable`: the engine's lock guards it, and its own lock
/// the reads, which move the library's cache about.
///
/// Changed leaves stay in that cache, so the file is busy from its first change until
/// ``settle(_:)``.
final class OrderedFile {
    let path: String
    /// Held for every read: reading moves the library's cache about.
    let cacheLock = Lock()
    private let files: any FileLayer
    private let process = ProcessMark()
    private var handle: UnsafeMutablePointer<TCBDB>
    private var file: OpenFile?
    private(set) var isWriting: Bool
    private(set) var reserved: UInt64 = 0
    /// What the changes since the last settling may yet need room for.
    private var owed = Changes()

    private static let leafMembers: Int32 = 128
    private static let nodeMembers: Int32 = 256
    private static let cachedLeaves: Int32 = 4096
    private static let cachedNodes: Int32 = 1024

    /// Opens the file at `path` for reading. `nil`: there is none, or none that could be read.
    init?(reading path: String, files: any FileLayer) {
        guard Self.looksSound(path),
            let handle = Self.open(path, count: nil, size: 0, files, mode: BDBOREADER)
        else { return nil }
        self.path = path
        self.files = files
        self.handle = handle
        isWriting = false
    }

    /// Makes an empty file at `path` for about `count` keys.
    init(
        making path: String, count: UInt64, files: any FileLayer
    ) throws(BackendError) {
        let file = try files.open(path, for: .replacing)
        guard
            let handle = Self.open(
                path, count: count, size: 0, files, mode: BDBOWRITER | BDBOCREAT)
        else {
            // The library does not say what it lacked; if that was room, this does.
            try files.reserve(file, upTo: 64 << 10)
            throw .viewUnavailable(path: path, cause: "it could not be made")
        }
        self.path = path
        self.files = files
        self.handle = handle
        self.file = file
        isWriting = true
    }

    deinit {
        // In a forked process the library would write its cache to the parent's file.
        guard process.isCurrent else { return }
        tcbdbclose(handle)
        tcbdbdel(handle)
    }

    private static func looksSound(_ path: String) -> Bool {
        guard let map = FileMap(path: path),
            let image = HashImage(base: map.base, size: map.size)
        else { return false }
        return image.isTree
    }

    private static func open(
        _ path: String, count: UInt64?, size: UInt64, _ files: any FileLayer, mode: Int
    ) -> UnsafeMutablePointer<TCBDB>? {
        for room in [max(size &* 4, files.leastMap), size &+ (64 << 20)] {
            guard let handle = tcbdbnew() else { return nil }
            if let count {
                let buckets = Int64(clamping: max(count / 32, 1021))
                tcbdbtune(handle, leafMembers, nodeMembers, buckets, -1, -1, 0)
            }
            tcbdbsetcache(handle, cachedLeaves, cachedNodes)
            tcbdbsetxmsiz(handle, Int64(clamping: room))
            if tcbdbopen(handle, path, Int32(mode | BDBONOLCK)) {
                if let hash = handle.pointee.hdb { SystemCalls.keepFromChildren(hash.pointee.fd) }
                return handle
            }
            tcbdbdel(handle)
        }
        return nil
    }

    var count: UInt64 { tcbdbrnum(handle) }

    private var opaque: UnsafeMutableRawPointer? {
        handle.pointee.hdb.flatMap { hash in
            tchdbopaque(hash).map { UnsafeMutableRawPointer($0) + 64 }
        }
    }

    var mark: ViewMark? { opaque.flatMap { ViewMark(at: UnsafeRawPointer($0)) } }

    var size: UInt64 { handle.pointee.hdb?.pointee.fsiz ?? 0 }

    // MARK: Changing

    /// Lets the library open the file for writing, which changes it from now on.
    func beginWriting(room: UInt64 = 0) throws(BackendError) {
        guard !isWriting else { return }
        try files.remove(path + ".wal")
        let file = try files.open(path, for: .writing)
        let size = self.size
        tcbdbclose(handle)
        tcbdbdel(handle)
        let opened = Self.open(
            path, count: nil, size: max(size, room), files, mode: BDBOWRITER)
        if let opened {
            handle = opened
            self.file = file
            isWriting = true
            reserved = size
        } else {
            // An empty tree in memory stands in for the file, which nothing is read from now.
            handle = tcbdbnew()
            throw .viewUnavailable(path: path, cause: "it could not be opened for writing")
        }
    }

    /// Operations on keys, and the bytes of the keys and values that they put.
    struct Changes: Hashable {
        var operations: UInt64 = 0
        var bytes: UInt64 = 0
    }

    /// Sees that there is room on the disk for `changes`, beside those that are owed. After a
    /// throw they are not counted.
    func reserve(for changes: Changes) throws(BackendError) {
        guard let file, isWriting else { return }
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
            handle.pointee.hdb?.pointee.xfsiz = reserved
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
        tcbdbput(
            handle, key.baseAddress ?? Nowhere.address, Int32(truncatingIfNeeded: key.count),
            stored.baseAddress ?? Nowhere.address, Int32(truncatingIfNeeded: stored.count))
    }

    /// Removes the key, which need not be there.
    func delete(_ key: UnsafeRawBufferPointer) -> Bool {
        tcbdbout(
            handle, key.baseAddress ?? Nowhere.address, Int32(truncatingIfNeeded: key.count))
            || tcbdbecode(handle) == Int32(TCENOREC)
    }

    /// Brings the cache into the file and clears the busy mark.
    func settle(_ mark: ViewMark) throws(BackendError) {
        guard isWriting, let opaque else { return }
        guard tcbdbmemsync(handle, false) else {
            throw .viewUnavailable(path: path, cause: "its cache could not be written")
        }
        mark.write(at: opaque)
        owed = Changes()
    }

    // MARK: Closing

    /// Closes the file, which must be settled, and opens it for reading again.
    func endWriting() throws(BackendError) {
        guard isWriting, let file else { return }
        try files.truncate(file, to: size)
        let isClosed = tcbdbclose(handle)
        tcbdbdel(handle)
        isWriting = false
        self.file = nil
        reserved = 0
        let reopened = Self.open(path, count: nil, size: 0, files, mode: BDBOREADER)
        handle = reopened ?? tcbdbnew()
        guard isClosed, reopened != nil else {
            throw .viewUnavailable(path: path, cause: "it could not be closed")
        }
    }

    /// Brings a file that is not open for writing to the device.
    func sync() throws(BackendError) {
        try files.sync(try files.open(path, for: .writing))
    }

    /// What the file is, for a later opening to compare; it must not be open for writing.
    func seal() -> ViewSeal {
        guard let map = FileMap(path: path) else { return ViewSeal(size: 0, count: 0, sum: nil) }
        let sum = map.size <= ViewSeal.largestSummed ? map.bytes.checksum() : nil
        return ViewSeal(size: map.size, count: count, sum: sum)
    }

    // MARK: Reading

    /// What is stored under `key`, until the next call.
    func find(_ key: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
        var length: Int32 = 0
        guard
            let value = tcbdbget3(
                handle, key.baseAddress ?? Nowhere.address, Int32(truncatingIfNeeded: key.count),
                &length)
        else { return nil }
        return UnsafeRawBufferPointer(start: value, count: Int(length))
    }

    /// Goes over keys from `start` on, or from the first or last one, up or down, until `body`
    /// returns `false`. `start` itself is met if it is there.
    func walk(
        from start: [UInt8]?, descending: Bool,
        _ body: (_ key: UnsafeRawBufferPointer, _ stored: UnsafeRawBufferPointer) -> Bool
    ) {
        guard let cursor = tcbdbcurnew(handle) else { return }
        defer { tcbdbcurdel(cursor) }
        let found: Bool
        if let start {
            found = start.withUnsafeBytes { bytes in
                let place = bytes.baseAddress ?? Nowhere.address
                return descending
                    ? tcbdbcurjumpback(cursor, place, Int32(bytes.count))
                    : tcbdbcurjump(cursor, place, Int32(bytes.count))
            }
        } else {
            found = descending ? tcbdbcurlast(cursor) : tcbdbcurfirst(cursor)
        }
        guard found else { return }
        while true {
            var keyLength: Int32 = 0
            var valueLength: Int32 = 0
            guard let key = tcbdbcurkey3(cursor, &keyLength),
                let value = tcbdbcurval3(cursor, &valueLength),
                body(
                    UnsafeRawBufferPointer(start: key, count: Int(keyLength)),
                    UnsafeRawBufferPointer(start: value, count: Int(valueLength)))
            else { return }
            guard descending ? tcbdbcurprev(cursor) : tcbdbcurnext(cursor) else { return }
        }
    }
}
