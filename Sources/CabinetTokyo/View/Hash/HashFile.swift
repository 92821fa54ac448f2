import CTokyoCabinet
import CabinetBackend

/// A hash file of Tokyo Cabinet: mapped for reading, or opened by the library once it is to
/// change. Not `Sendable`: the engine's lock guards it, so exclusivity is not checked again.
///
/// ``image`` can be read at any time, whatever has failed: a map is given up only for another one.
final class HashFile {
    private(set) var path: String
    /// Which file it is; under ``path`` there may be another one by now.
    let identity: FileIdentity
    @exclusivity(unchecked) private(set) var image: HashImage

    let files: any FileLayer
    private let process = ProcessMark()
    /// The map for reading. While the file is written it stays as far as it reaches, as its pages
    /// are entered already: the library's map would meet a fault for each again.
    @exclusivity(unchecked) private var map: FileMap?
    @exclusivity(unchecked) private var handle: UnsafeMutablePointer<TCHDB>?
    @exclusivity(unchecked) private var file: OpenFile?
    @exclusivity(unchecked) private var mappedSize: UInt64 = 0
    @exclusivity(unchecked) private var reserved: UInt64 = 0

    /// Why the library refuses, in its own words.
    struct Refusal: Error {
        let message: String

        static let another = Refusal(message: "another file has its name")
    }

    /// Maps the file at `path` for reading. `nil`: there is none, or none that could be read.
    /// - Throws: as ``FileMap/reading(_:_:)``.
    init?(reading path: String, files: any FileLayer) throws(BackendError) {
        guard let map = try FileMap.reading(path, files),
            let image = HashImage(base: map.base, size: map.size)
        else { return nil }
        self.path = path
        self.files = files
        self.map = map
        self.image = image
        identity = map.identity
    }

    /// Reads the file at `path` where it is mapped already. `nil`: it is no hash file.
    init?(_ map: FileMap, at path: String, files: any FileLayer) {
        guard let image = HashImage(base: map.base, size: map.size) else { return nil }
        self.path = path
        self.files = files
        self.map = map
        self.image = image
        identity = map.identity
    }

    /// Makes an empty file at `path`, laid out as `sizing` says, with its room reserved.
    init(
        making path: String, _ sizing: HashSizing, room: UInt64, files: any FileLayer
    ) throws(BackendError) {
        self.path = path
        self.files = files
        let file = try files.open(path, for: .replacing)
        identity = try files.status(of: file).identity
        let handle = try Self.make(file, sizing, room: sizing.emptySize + room, files: files)
        do throws(Refusal) {
            (image, mappedSize) = try Self.image(of: handle, identity)
        } catch {
            _ = LibraryClosing.close(handle)
            throw .viewUnavailable(path: path, cause: error.message)
        }
        self.handle = handle
        self.file = file
        try reserve(upTo: image.end + room)
    }

    // In a forked process the library would complete the file that the parent is writing.
    deinit { if process.isCurrent { closeHandle() } }

    /// Whether the library has the file open.
    var isWriting: Bool { handle != nil }

    /// The handle for putting; `nil` while the file is only read.
    var writer: UnsafeMutablePointer<TCHDB>? { handle }

    var count: UInt64 { handle?.pointee.rnum ?? image.recordCount }

    var mark: ViewMark? { ViewMark(at: image.opaque) }

    /// Where the mark is written; `nil` while the file is only read.
    var markAddress: UnsafeMutableRawPointer? {
        handle?.pointee.map.map { UnsafeMutableRawPointer($0) + HashImage.opaqueOffset }
    }

    // MARK: Opening

    static func open(
        _ path: String, size: UInt64, _ sizing: HashSizing?, mode: Int, _ files: any FileLayer,
        leastMap: UInt64
    ) throws(Refusal) -> UnsafeMutablePointer<TCHDB> {
        do { try files.prepareLibrary(toOpen: path) } catch { throw Refusal(message: "\(error)") }
        // Ample address space costs nothing, but there may be a limit on it.
        for room in [max(size &* 4, leastMap), size &+ (16 << 20)] {
            guard let handle = tchdbnew() else { throw Refusal(message: "no memory") }
            if let sizing {
                tchdbtune(
                    handle, sizing.buckets, HashSizing.alignmentPower, -1,
                    sizing.isLarge ? UInt8(HDBTLARGE) : 0)
            }
            tchdbsetxmsiz(handle, Int64(clamping: room))
            if tchdbopen(handle, path, Int32(mode | HDBONOLCK)) {
                SystemCalls.keepFromChildren(handle.pointee.fd)
                return handle
            }
            let code = tchdbecode(handle)
            tchdbdel(handle)
            if code != Int32(TCEMMAP) {
                throw Refusal(message: String(cString: tchdberrmsg(code)))
            }
        }
        throw Refusal(message: String(cString: tchdberrmsg(Int32(TCEMMAP))))
    }

    private static func image(
        of handle: UnsafeMutablePointer<TCHDB>, _ identity: FileIdentity
    ) throws(Refusal) -> (HashImage, UInt64) {
        // The library opens a name, which may be another file's since ours was opened.
        guard handle.pointee.inode == identity.inode else { throw .another }
        let mapped = max(handle.pointee.xmsiz, handle.pointee.msiz)
        guard let map = handle.pointee.map, handle.pointee.fsiz <= mapped,
            let image = HashImage(base: UnsafeRawPointer(map), size: handle.pointee.fsiz)
        else { throw Refusal(message: "its header makes no sense") }
        return (image, mapped)
    }

    /// Lets the library open the file, which changes it from now on. The file must have been
    /// found sound before. After a throw it is read as before.
    ///
    /// - Parameter room: how far the file is going to reach, as far as is known.
    /// - Throws: ``BackendError/viewUnavailable(path:cause:)`` if another file has its name, or the
    ///   library refuses.
    func beginWriting(room: UInt64 = 0) throws(BackendError) {
        guard handle == nil else { return }
        try files.remove(path + ".wal")
        let file = try files.open(path, for: .writing)
        do throws(Refusal) {
            guard try isOurs(file) else { throw .another }
            let opened = try Self.open(
                path, size: max(image.end, room), nil, mode: HDBOWRITER, files,
                leastMap: files.leastMap)
            let written: HashImage
            do {
                (written, mappedSize) = try Self.image(of: opened, identity)
            } catch {
                _ = LibraryClosing.close(opened)
                throw error
            }
            handle = opened
            readMap(of: written)
        } catch {
            throw .viewUnavailable(path: path, cause: error.message)
        }
        self.file = file
        reserved = image.end
    }

    /// Has the file, open for writing, read in the map for reading if that reaches as far, and
    /// otherwise in the library's.
    private func readMap(of written: HashImage) {
        image = written
        if let map, map.size >= written.end { image.base = map.base } else { map = nil }
    }

    private func isOurs(_ file: OpenFile) throws(Refusal) -> Bool {
        do {
            return try files.status(of: file).identity == identity
        } catch {
            throw Refusal(message: "\(error)")
        }
    }

    /// Whether the file must be mapped again to reach `size` bytes.
    func outgrowsMap(_ size: UInt64) -> Bool { handle != nil && size > mappedSize }

    /// Sees that the file can grow to `size` bytes: on the disk, for a store to a mapped page
    /// that finds no room kills the process, and within the map.
    func reserve(upTo size: UInt64) throws(BackendError) {
        guard let file, handle != nil, size > reserved else { return }
        if size > mappedSize {
            try endWriting()
            try beginWriting(room: size)
            return try reserve(upTo: size)
        }
        let ample = size + min(size / 8, 64 << 20)
        do {
            try files.reserve(file, upTo: ample)
            reserved = ample
        } catch {
            guard case .diskFull = error else { throw error }
            try files.reserve(file, upTo: size)
            reserved = size
        }
        // The library extends the file by a call every 32 KiB, unless it knows that it need not.
        handle?.pointee.xfsiz = reserved
    }

    /// Whether the file can grow to `size` bytes as it is.
    func isReserved(upTo size: UInt64) -> Bool { size <= reserved }

    /// Reserves room for `growth` bytes of records in a file that was empty, while another
    /// thread uses the library's handle. Returns how far the file may reach; `nil`: not within the
    /// map.
    func reserveAside(_ growth: UInt64) throws(BackendError) -> UInt64? {
        let size = image.end + growth
        if size > reserved, let file {
            guard size <= mappedSize else { return nil }
            let ample = min(size + min(size / 8, 64 << 20), mappedSize)
            try files.reserve(file, upTo: ample)
            reserved = ample
        }
        return reserved
    }

    /// Passes the reserved size to the library.
    func useReserved() { handle?.pointee.xfsiz = reserved }

    /// Takes note of how far the records reach after changes.
    func noteGrowth() {
        guard let handle else { return }
        image.end = handle.pointee.fsiz
        guard let map, map.size < image.end, let base = handle.pointee.map else { return }
        image.base = UnsafeRawPointer(base)
        self.map = nil
    }

    /// Whether the library has met an error that it cannot recover from.
    var hasFailed: Bool { handle.map { $0.pointee.fatal } ?? false }

    // MARK: Closing

    /// Closes the library's handle, which completes the file, and maps it for reading again. After
    /// a throw it is read as before; if it is not open for writing any more then, what it holds is
    /// in doubt.
    func endWriting() throws(BackendError) {
        guard let handle, let file else { return }
        let end = handle.pointee.fsiz
        // The file is mapped as the one that it is, not by its name, and before anything is given
        // up.
        guard let map = try wholeMap(of: file, end),
            let image = HashImage(base: map.base, size: end)
        else { throw .viewUnavailable(path: path, cause: "its header makes no sense") }
        do {
            try files.truncate(file, to: end)
        } catch {
            // The room may be gone all the same, and a store to a page without any is fatal.
            reserved = end
            handle.pointee.xfsiz = end
            throw error
        }
        self.map = map
        self.image = image
        guard closeHandle() else {
            throw .viewUnavailable(path: path, cause: "it could not be closed")
        }
    }

    /// The map that there is, unless the file has grown. `nil`: the file is shorter.
    private func wholeMap(of file: OpenFile, _ end: UInt64) throws(BackendError) -> FileMap? {
        if let map, map.size == end, try files.size(of: file) >= end { return map }
        guard let map = try files.map(file, upTo: end), map.size == end else { return nil }
        return map
    }

    /// Gives the file, which must not be open for writing, another name.
    func move(to newPath: String) throws(BackendError) {
        try files.rename(path, to: newPath)
        path = newPath
    }

    /// What the file is, for a later opening to compare; it must not be open for writing.
    func seal() -> ViewSeal {
        guard let map else { return ViewSeal(size: 0, count: 0, sum: nil) }
        let sum = map.size <= ViewSeal.largestSummed ? map.bytes.checksum() : nil
        return ViewSeal(size: map.size, count: image.recordCount, sum: sum)
    }

    @discardableResult
    private func closeHandle() -> Bool {
        guard let handle else { return true }
        self.handle = nil
        file = nil
        reserved = 0
        return LibraryClosing.close(handle)
    }
}
