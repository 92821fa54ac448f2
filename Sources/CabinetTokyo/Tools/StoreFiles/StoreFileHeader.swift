import CabinetBackend

/// The first 96 bytes of a store file. Integers are little-endian. The magic, the format and the CRC
/// are the same in every format to come, so that a newer one is recognised.
///
/// | at | bytes |
/// |---|---|
/// | 0 | `CabFile` and 0x1A |
/// | 8 | UInt32 format: 1 |
/// | 12 | UInt32 flags: 1 sealed, 2 the metadata are sealed, too; a reader refuses bits that it does not know |
/// | 16 | 16 random bytes, others in each file that is written |
/// | 32 | UInt64 the working store that wrote the file (``WorkingRecord/line``) |
/// | 40 | UInt64 the last commit that is in the file |
/// | 48 | UInt64 when it was written, in microseconds since 1970-01-01 00:00 UTC |
/// | 56 | UInt32 length of the metadata, which stands behind the header |
/// | 60 | UInt32 CRC-32C of the metadata |
/// | 64 | UInt64 length of the content behind it, a snapshot (``SnapshotWriter``); 0: nothing was saved |
/// | 72 | UInt32 CRC-32C of the content |
/// | 76 | UInt32 length of the keys (``KeyFile``) between metadata and content; 0 unless it is sealed |
/// | 80 | 12 bytes 0 |
/// | 92 | UInt32 CRC-32C of the bytes before |
package struct StoreFileHeader: Hashable, Sendable {
    package static let magic: [UInt8] = Array("CabFile".utf8) + [0x1A]
    static let size = 96
    /// Where the metadata stand.
    package static let metadataOffset = size
    /// The newest format that this code knows.
    static let format: UInt32 = 1
    private static let known = KnownFormats(1...format)

    package var mark: StoreFileMark
    package var line: UInt64
    package var commitNumber: CommitNumber
    package var time: UInt64
    var metadataLength: UInt32 = 0
    var metadataSum: UInt32 = 0
    package var contentLength: UInt64 = 0
    var contentSum: UInt32 = 0
    /// Of a store that is sealed: the content is, and the keys of the store stand in front of it.
    var keysLength: UInt32 = 0
    /// Whether the metadata are sealed.
    var sealsMetadata = false

    package var isSealed: Bool { keysLength > 0 }
    var keysOffset: UInt64 { UInt64(Self.size) + UInt64(metadataLength) }
    var contentOffset: UInt64 { keysOffset + UInt64(keysLength) }
    /// How long a whole file is.
    package var fileSize: UInt64 { contentOffset + contentLength }

    func encoded() -> [UInt8] {
        var bytes = Self.magic
        bytes.append(littleEndian: Self.format)
        bytes.append(littleEndian: (isSealed ? 1 : 0) | (sealsMetadata ? 2 : 0) as UInt32)
        bytes.append(littleEndian: mark.first)
        bytes.append(littleEndian: mark.second)
        bytes.append(littleEndian: line)
        bytes.append(littleEndian: commitNumber.rawValue)
        bytes.append(littleEndian: time)
        bytes.append(littleEndian: metadataLength)
        bytes.append(littleEndian: metadataSum)
        bytes.append(littleEndian: contentLength)
        bytes.append(littleEndian: contentSum)
        bytes.append(littleEndian: keysLength)
        bytes.append(contentsOf: [UInt8](repeating: 0, count: 12))
        bytes.append(littleEndian: bytes.withUnsafeBytes { $0.checksum() })
        return bytes
    }

    /// - Throws: ``BackendError/notAStore(path:)`` if it begins like no store file,
    ///   ``BackendError/corrupt(path:offset:)``,
    ///   ``BackendError/newerFormat(path:found:known:)`` also for flags that are not known.
    static func decode(_ bytes: [UInt8], path: String) throws(BackendError) -> StoreFileHeader {
        guard bytes.starts(with: magic) else { throw .notAStore(path: path) }
        guard bytes.count == size else { throw .corrupt(path: path, offset: 0) }
        var fields = FieldReader(bytes)
        _ = fields.take(magic.count)
        let sum = bytes.withUnsafeBytes {
            UnsafeRawBufferPointer(rebasing: $0.dropLast(4)).checksum()
        }
        guard sum == bytes.withUnsafeBytes({ $0.baseAddress?.get(UInt32.self, at: size - 4) }),
            let format = fields.integer(UInt32.self), let flags = fields.integer(UInt32.self)
        else { throw .corrupt(path: path, offset: 0) }
        try known.check(format, path: path)
        guard flags < 4 else {
            throw .newerFormat(path: path, found: Self.format + 1, known: Self.format)
        }
        guard let first = fields.integer(UInt64.self), let second = fields.integer(UInt64.self),
            let line = fields.integer(UInt64.self), let commit = fields.integer(UInt64.self),
            let time = fields.integer(UInt64.self),
            let metadataLength = fields.integer(UInt32.self),
            let metadataSum = fields.integer(UInt32.self),
            let contentLength = fields.integer(UInt64.self),
            let contentSum = fields.integer(UInt32.self),
            let keysLength = fields.integer(UInt32.self),
            contentLength < 1 << 62, keysLength <= KeyFile.longest,
            (flags & 1 == 1) == (keysLength > 0), flags != 2
        else { throw .corrupt(path: path, offset: 0) }
        return StoreFileHeader(
            mark: StoreFileMark(first: first, second: second), line: line,
            commitNumber: CommitNumber(commit), time: time, metadataLength: metadataLength,
            metadataSum: metadataSum, contentLength: contentLength, contentSum: contentSum,
            keysLength: keysLength, sealsMetadata: flags & 2 == 2)
    }
}

/// 16 random bytes, which tell one written store file from every other; a copy has those of its original.
package struct StoreFileMark: Hashable, Sendable {
    package var first: UInt64
    package var second: UInt64

    static func random() -> StoreFileMark {
        StoreFileMark(
            first: UInt64.random(in: 0...UInt64.max), second: UInt64.random(in: 0...UInt64.max))
    }
}

extension SealBinding {
    /// Of what a store file with that mark says of itself.
    init(metadataOf mark: StoreFileMark) { self.init(.metadata, 0, mark.first, mark.second) }
}
