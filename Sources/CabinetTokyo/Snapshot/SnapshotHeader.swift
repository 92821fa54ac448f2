import CChecksum
import CabinetBackend

/// The first 40 bytes of a snapshot. Integers are little-endian. The magic, the format and the CRC
/// are the same in every format to come, so that a newer one is recognised.
///
/// | at | bytes |
/// |---|---|
/// | 0 | `CabSnap` and 0x1A |
/// | 8 | UInt32 format: 2, or 3 if blocks and footer are sealed |
/// | 12 | UInt16 highest table number that was ever used |
/// | 14 | UInt16 0 |
/// | 16 | UInt64 the store's number |
/// | 24 | UInt64 the last commit that is in the snapshot |
/// | 32 | UInt32 0; if blocks are sealed, a random number |
/// | 36 | UInt32 CRC-32C of the 36 bytes above: what the rest of the file knows this file by |
struct SnapshotHeader: Equatable {
    static let size = 40
    /// The newest format that this code knows: that of a sealed store.
    static let format: UInt32 = 3
    static let openFormat: UInt32 = 2
    private static let known = KnownFormats(openFormat...format)
    static let magic = Array("CabSnap\u{1A}".utf8)

    var store: UInt64
    var commitNumber: CommitNumber
    var highestTable: TableNumber
    var isSealed = false
    /// Tells a sealed file from others of the same commit: what is sealed is bound to the header's CRC.
    var salt: UInt32 = 0

    /// The bytes, and the CRC at their end.
    func encoded() -> (bytes: [UInt8], sum: UInt32) {
        var bytes = Self.magic
        bytes.append(littleEndian: isSealed ? Self.format : Self.openFormat)
        bytes.append(littleEndian: highestTable.rawValue)
        bytes.append(littleEndian: 0 as UInt16)
        bytes.append(littleEndian: store)
        bytes.append(littleEndian: commitNumber.rawValue)
        bytes.append(littleEndian: salt)
        let sum = cabinet_crc32c(0, bytes, bytes.count)
        bytes.append(littleEndian: sum)
        return (bytes, sum)
    }

    /// - Throws: ``BackendError/corrupt(path:offset:)``, also for a snapshot of another store, or
    ///   ``BackendError/newerFormat(path:found:known:)``, or
    ///   ``BackendError/olderFormat(path:found:oldest:)``.
    static func decode(
        _ bytes: [UInt8], path: String, expectedStoreID: UInt64?
    ) throws(BackendError) -> (header: SnapshotHeader, sum: UInt32) {
        var fields = FieldReader(bytes)
        let magic = fields.take(magic.count)
        guard bytes.count == size, let magic, magic.elementsEqual(Self.magic),
            let format = fields.integer(UInt32.self),
            let highest = fields.integer(UInt16.self), fields.integer(UInt16.self) != nil,
            let store = fields.integer(UInt64.self), let commitNumber = fields.integer(UInt64.self),
            let salt = fields.integer(UInt32.self), let sum = fields.integer(UInt32.self),
            sum == cabinet_crc32c(0, bytes, size - 4)
        else { throw .corrupt(path: path, offset: 0) }
        try known.check(format, path: path)
        guard expectedStoreID == nil || expectedStoreID == store else {
            throw .corrupt(path: path, offset: 0)
        }
        return (
            SnapshotHeader(
                store: store, commitNumber: CommitNumber(commitNumber),
                highestTable: TableNumber(highest), isSealed: format == Self.format, salt: salt),
            sum
        )
    }
}
