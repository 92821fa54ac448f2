import CabinetBackend

/// What a working directory says of itself: the file `Record` in it, which is replaced as a whole.
///
/// Integers are little-endian; texts are UTF-8 behind a UInt32 of their length.
///
/// | bytes | |
/// |---|---|
/// | 8 | `CabWork` and 0x1A |
/// | UInt32 | format: 1 |
/// | UInt8 | origin: 0 nothing, 1 the file below, 2 a damaged file, which was salvaged |
/// | UInt8 | 1: removed when its process has ended, whatever it holds |
/// | UInt64 | generation: the store is in the directory `Store-` and this number |
/// | UInt64 | line: a random number for each generation |
/// | UInt64 | the last commit that the file has |
/// | text | the path of the file; empty: it has none yet |
/// | text | a directory in which an unfinished file may be; empty: none |
/// | 96 | the header of the file; zeros if the origin is not 1 |
/// | 4 × UInt64 | its size, device, inode and time of change |
/// | UInt32 | CRC-32C of the bytes before |
package struct WorkingRecord: Hashable, Sendable {
    package enum Origin: UInt8, Hashable, Sendable {
        case nothing = 0
        case file = 1
        case damagedFile = 2
    }

    static let magic: [UInt8] = Array("CabWork".utf8) + [0x1A]
    private static let known = KnownFormats(1...1)

    var origin = Origin.nothing
    var isTransient = false
    var generation: UInt64 = 1
    var line: UInt64
    var base: CommitNumber = 0
    package var path: String
    var aside = ""
    /// The file as it was when it was last read or written here; `nil`: there was none.
    var file: KnownFile?

    struct KnownFile: Hashable, Sendable {
        /// `nil`: it is damaged.
        var header: StoreFileHeader?
        var size: UInt64
        var device: UInt64
        var inode: UInt64
        var modified: UInt64

        init(_ header: StoreFileHeader?, _ status: FileStatus) {
            self.header = header
            size = status.size
            device = status.device
            inode = status.inode
            modified = status.modified
        }
    }

    init(path: String) {
        self.path = path
        line = UInt64.random(in: 1...UInt64.max)
    }

    // MARK: Bytes

    func encoded() -> [UInt8] {
        var bytes = Self.magic
        bytes.append(littleEndian: 1 as UInt32)
        bytes.append(origin.rawValue)
        bytes.append(isTransient ? 1 : 0)
        bytes.append(littleEndian: generation)
        bytes.append(littleEndian: line)
        bytes.append(littleEndian: base.rawValue)
        for text in [path, aside] {
            bytes.append(littleEndian: UInt32(text.utf8.count))
            bytes.append(contentsOf: text.utf8)
        }
        bytes.append(
            contentsOf: file?.header?.encoded()
                ?? [UInt8](repeating: 0, count: StoreFileHeader.size))
        for value in [file?.size, file?.device, file?.inode, file?.modified] {
            bytes.append(littleEndian: value ?? 0)
        }
        bytes.append(littleEndian: bytes.withUnsafeBytes { $0.checksum() })
        return bytes
    }

    /// `nil` for bytes that are no whole record.
    /// - Throws: ``BackendError/newerFormat(path:found:known:)``.
    init?(_ bytes: [UInt8], path recordPath: String) throws(BackendError) {
        guard bytes.count > Self.magic.count + 8, bytes.starts(with: Self.magic) else { return nil }
        let body = Array(bytes.dropLast(4))
        var fields = FieldReader(body)
        _ = fields.take(Self.magic.count)
        guard let format = fields.integer(UInt32.self),
            body.withUnsafeBytes({ $0.checksum() })
                == bytes.withUnsafeBytes({ $0.baseAddress?.get(UInt32.self, at: body.count) })
        else { return nil }
        try Self.known.check(format, path: recordPath)
        guard let origin = fields.integer(UInt8.self).flatMap(Origin.init),
            let transient = fields.integer(UInt8.self),
            let generation = fields.integer(UInt64.self), let line = fields.integer(UInt64.self),
            let base = fields.integer(UInt64.self),
            let path = Self.text(&fields), let aside = Self.text(&fields),
            let head = fields.take(StoreFileHeader.size),
            let size = fields.integer(UInt64.self), let device = fields.integer(UInt64.self),
            let inode = fields.integer(UInt64.self), let modified = fields.integer(UInt64.self)
        else { return nil }
        (self.origin, isTransient, self.generation) = (origin, transient != 0, generation)
        (self.line, self.base) = (line, CommitNumber(base))
        (self.path, self.aside) = (path, aside)
        guard origin != .nothing else { return }
        let status = FileStatus(
            isDirectory: false, size: size, device: device, inode: inode, modified: modified)
        let header =
            origin == .file ? try StoreFileHeader.decode(Array(head), path: recordPath) : nil
        file = KnownFile(header, status)
    }

    private static func text(_ fields: inout FieldReader) -> String? {
        guard let length = fields.integer(UInt32.self), length <= 1 << 16,
            let bytes = fields.take(Int(length))
        else { return nil }
        return String(validating: bytes, as: UTF8.self)
    }
}
